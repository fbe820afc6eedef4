import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { exposureWarning } from '../../../src/demo/exposure.ts';

const why = 'the program unshare is not installed';

function known(address: string, more: object = {}): NetworkInterfaceInfo {
  const common = { address, netmask: '', mac: '', internal: false, cidr: null };
  return address.includes(':')
    ? { ...common, family: 'IPv6', scopeid: 0, ...more }
    : { ...common, family: 'IPv4', ...more };
}

describe('the warning that the network can reach the local Slack', () => {
  it('names every address that the network can use, what can be read there, and the reason', () => {
    const warning = exposureWarning(
      { port: 4711, why },
      {
        lo: [known('127.0.0.1', { internal: true }), known('::1', { internal: true })],
        eth0: [known('192.168.1.5'), known('fd00::5'), known('fe80::1', { scopeid: 2 })],
      },
    );
    expect(warning).toContain('every interface of this machine: http://192.168.1.5:4711, http://[fd00::5]:4711\n');
    expect(warning).toContain('can read the answers, with the code they quote');
    expect(warning).toContain(`${why}.`);
  });

  it('says when this machine is on no network now', () => {
    const warning = exposureWarning({ port: 4711, why }, { lo: [known('127.0.0.1', { internal: true })] });
    expect(warning).toContain('port 4711; none of them is on a network now.');
  });
});
