import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect, rootCertificates, type TLSSocket } from 'node:tls';
import { errorCode } from '../../core/doctor/error-code.ts';
import type { Check, Finding, Says } from '../../core/doctor/finding.ts';
import type { Clock } from '../../core/ports.ts';
import { type ProxySettings, proxyFor } from '../proxy.ts';
import { openSocket, TunnelRefused } from './tunnel.ts';

/** A certificate that ends this soon should be renewed now. */
const renewDays = 14;
const dayMs = 24 * 60 * 60 * 1_000;
const handshakeMs = 5_000;

const thisMachine = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Reads the certificate that the service shows, and whether the app trusts it. Sends nothing to the service. */
export function createCertificateCheck(options: {
  baseUrl: string;
  proxy: ProxySettings;
  ca: string | undefined;
  now: Clock;
}): Check {
  const { baseUrl, proxy, ca, now } = options;
  return { name: 'certificate', run };

  async function run(say: Says): Promise<Finding[]> {
    const address = new URL(baseUrl);
    if (address.protocol !== 'https:') {
      return [
        thisMachine.test(address.hostname)
          ? say('pass', 'serviceOnThisMachine', {})
          : say('warn', 'serviceWithoutTls', {}),
      ];
    }
    let socket: Socket;
    try {
      socket = await openSocket(address, proxyFor(address, proxy));
    } catch (error) {
      return [say('warn', 'notChecked', { because: error instanceof TunnelRefused ? 'proxy' : 'service' })];
    }
    try {
      return [judge(await readCertificate(socket, address), say)];
    } catch (error) {
      return [say('fail', 'certificateNotRead', { code: errorCode(error) })];
    }
  }

  /** Shakes hands without trust, to read also a certificate that the app refuses. */
  function readCertificate(socket: Socket, { hostname }: URL): Promise<Shown> {
    const host = hostname.replace(/^\[|\]$/g, '');
    const settings: ConnectionOptions = {
      socket,
      host,
      rejectUnauthorized: false,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // As the app's own connections.
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    };
    return new Promise((resolve, reject) => {
      const secure: TLSSocket = connect(settings, () => {
        const { valid_from: from, valid_to: to } = secure.getPeerCertificate();
        // Without a certificate of the far side, OpenSSL ends the handshake itself.
        const refusal = secure.authorized ? undefined : errorCodeOf(secure.authorizationError);
        resolve({ fromMs: Date.parse(from), toMs: Date.parse(to), refusal });
        secure.destroy();
      });
      secure.setTimeout(handshakeMs, () => {
        secure.destroy(Object.assign(new Error('no handshake in time'), { code: 'ETIMEDOUT' }));
      });
      secure.once('error', reject);
    });
  }

  function judge({ fromMs, toMs, refusal }: Shown, say: Says): Finding {
    const days = Math.floor(Math.abs(toMs - now()) / dayMs);
    if (toMs <= now()) return say('fail', 'certificateExpired', { days });
    if (fromMs > now()) return say('fail', 'certificateNotYetValid', { days: Math.ceil((fromMs - now()) / dayMs) });
    if (refusal === 'ERR_TLS_CERT_ALTNAME_INVALID') return say('fail', 'certificateOfOtherHost', {});
    if (refusal !== undefined) return say('fail', 'certificateUntrusted', { code: refusal });
    return days < renewDays ? say('warn', 'certificateEndsSoon', { days }) : say('pass', 'certificateValid', { days });
  }
}

interface Shown {
  fromMs: number;
  toMs: number;
  /** Why the app does not trust it. */
  refusal: string | undefined;
}

/** Node types it as an error, and it is a code of OpenSSL or an error of the name's check. */
function errorCodeOf(refusal: unknown): string {
  return typeof refusal === 'string'
    ? errorCode(Object.assign(new Error(refusal), { code: refusal }))
    : errorCode(refusal);
}
