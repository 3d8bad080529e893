import type { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';

/** Milliseconds for one handshake. */
const TIMEOUT_MS = 5000;

/**
 * Reads the certificate that a port serves, by a TLS handshake and nothing more. Undefined when none was served in time: nobody listens, the address is
 * out of reach, or it is no TLS. Never rejects.
 */
export function readServedCertificate(
  { address, port }: { address: string; port: number },
  signal: AbortSignal,
): Promise<X509Certificate | undefined> {
  return new Promise((resolve) => {
    // The certificate is only looked at; whether it can be trusted is another question.
    const socket = connect({ host: address, port, rejectUnauthorized: false });
    const end = () => {
      signal.removeEventListener('abort', end);
      // A server that insists on a certificate of ours ends the handshake, but has shown its own before.
      resolve(socket.getPeerX509Certificate());
      socket.destroy();
    };
    socket.setTimeout(TIMEOUT_MS, end).once('secureConnect', end).once('error', end).once('close', end);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
