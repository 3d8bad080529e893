import { get } from 'node:https';
import { connect } from 'node:net';

/** An answer to a plain GET. */
export interface Page {
  /** 0: nobody answered. */
  status: number;
  text: string;
}

/** Reads a page. Certificates are not looked at, as by the kubelet. */
export function readPage(port: number, path: string): Promise<Page> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (part: Buffer) => (text += part.toString()));
      answer.once('end', () => {
        resolve({ status: answer.statusCode ?? 0, text });
      });
    }).once('error', (error) => {
      resolve({ status: 0, text: error.message });
    });
  });
}

/** Whether somebody listens at a port of this machine. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
