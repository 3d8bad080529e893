import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { ConfigurationError } from '../src/errors.ts';

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | undefined)?.code ?? '';

const listenOnce = (server: Server, host: string, port: number) =>
  new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => {
      server.off('listening', succeed);
      reject(error);
    };
    const succeed = () => {
      server.off('error', fail);
      resolve();
    };
    server.once('error', fail).once('listening', succeed).listen({ host, port });
  });

/**
 * Listens and returns the port, which differs from the wanted one for port 0. `0.0.0.0` means every address of both families; a host without IPv6 gets
 * IPv4 alone (design decision 16).
 * @throws ConfigurationError naming the flag when the port is taken or may not be used
 */
export async function listen(server: Server, at: { host: string; port: number; flag: string }): Promise<number> {
  const hosts = at.host === '0.0.0.0' ? ['::', '0.0.0.0'] : [at.host];
  for (const [index, host] of hosts.entries()) {
    try {
      await listenOnce(server, host, at.port);
      break;
    } catch (cause) {
      const withoutIpv6 = ['EAFNOSUPPORT', 'EADDRNOTAVAIL'].includes(codeOf(cause));
      if (withoutIpv6 && index + 1 < hosts.length) continue;
      throw new ConfigurationError(
        `cannot listen on ${at.host} port ${at.port} (${codeOf(cause)}); choose another with ${at.flag}`,
        { cause },
      );
    }
  }
  return (server.address() as AddressInfo).port;
}
