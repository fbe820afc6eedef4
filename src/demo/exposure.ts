import type { NetworkInterfaceInfo } from 'node:os';

/** How a local Slack can be reached from the network. */
export interface Exposure {
  port: number;
  /** Why it does not run in a network namespace. */
  why: string;
}

/** Warns that others can reach the local Slack, with its addresses and the consequence. */
export function exposureWarning(
  { port, why }: Exposure,
  interfaces: NodeJS.Dict<readonly NetworkInterfaceInfo[]>,
): string {
  const addresses = Object.values(interfaces).flatMap((known = []) =>
    known
      .filter(({ internal, scopeid }) => !internal && !scopeid)
      .map(({ family, address }) => `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`),
  );
  const reached =
    addresses.length === 0
      ? `every interface of this machine, port ${port}; none of them is on a network now.`
      : `every interface of this machine: ${addresses.join(', ')}`;
  return `WARNING: the network can reach this demo. The local Slack listens on
  ${reached}
Anyone who can reach that address can read the answers, with the code they quote from your repository, and ask
questions as any person of the workspace. It could not be kept to this machine: ${why}.`;
}
