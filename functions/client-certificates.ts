import type { RequestHandler } from 'express';
import { TLSSocket } from 'node:tls';
import { z } from 'zod';
import type { KubernetesObject } from '../src/api/objects.ts';

/** Who may present a client certificate (spec/startup.md §5.2). */
export interface ClientPolicy {
  /** Common names that are accepted; empty: every name that verifies; undefined: the cluster publishes none, so no certificate is accepted. */
  allowedNames: readonly string[] | undefined;
  /** Refuse callers without a certificate. API servers present one only when they are configured to. */
  required: boolean;
}

function findObjection(socket: TLSSocket, policy: ClientPolicy): string | undefined {
  const certificate = socket.getPeerCertificate();
  if (Object.keys(certificate).length === 0) return policy.required ? 'a client certificate is required' : undefined;
  if (!socket.authorized) return `the client certificate does not verify: ${String(socket.authorizationError)}`;
  if (policy.allowedNames === undefined) return 'the cluster names no client that may call';
  // Typed as always there, but a certificate need not have a subject.
  const { subject } = certificate as { subject?: { CN?: string | string[] } };
  const name = [subject?.CN ?? ''].flat().join();
  return policy.allowedNames.length === 0 || policy.allowedNames.includes(name)
    ? undefined
    : 'the common name of the client certificate is not allowed';
}

/** Verifies a client certificate if one is given, once per connection; `policy` is read at the first request of each. */
export function verifyClient(policy: () => ClientPolicy): RequestHandler {
  const known = new WeakMap<object, { objection: string | undefined }>();
  return (request, response, next) => {
    const { socket } = request;
    // Behind a host that ends TLS itself there is no certificate to look at.
    if (!(socket instanceof TLSSocket)) {
      next();
      return;
    }
    let verified = known.get(socket);
    if (verified === undefined) {
      verified = { objection: findObjection(socket, policy()) };
      known.set(socket, verified);
    }
    if (verified.objection === undefined) next();
    else response.status(401).type('text/plain').send(verified.objection);
  };
}

const names = z.array(z.string());

/**
 * Reads the policy from the ConfigMap `kube-system/extension-apiserver-authentication`: an empty list of names accepts every name that verifies; without
 * the list, or with one that cannot be read, nobody with a certificate is accepted (spec/startup.md §5.2).
 */
export function readClientPolicy(authentication: KubernetesObject | undefined, required: boolean): ClientPolicy {
  return { allowedNames: parseNames(authentication?.data?.['requestheader-allowed-names']), required };
}

function parseNames(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  try {
    return names.parse(JSON.parse(text));
  } catch {
    // Said to every caller whom it concerns, in the answer.
    return undefined;
  }
}
