import type { FindingCode, FindingValues } from '../../core/doctor/finding.ts';
import type { Line } from './doctor-storage-lines.ts';

type ServiceCode = Extract<FindingCode, `service${string}`>;
type OfAddress = Exclude<ServiceCode, `serviceToken${string}` | 'serviceWithoutTls' | 'serviceOnThisMachine'>;

/** The lines about the address of the service. */
export const serviceLines: { [Code in OfAddress]: (values: FindingValues[Code]) => Line } = {
  serviceReached: ({ host }) => [`${host} answers.`],
  serviceUnreachable: ({ host, code }) => [
    `${host} can't be reached (${code}).`,
    'Check SRC_ENDPOINT, the name of the host, the firewall, and the line "Proxy".',
  ],
  serviceNotTrusted: ({ host, code }) => [
    `${host} answers, and its certificate is not trusted (${code}).`,
    'See the line "Certificate".',
  ],
  serviceMoved: ({ origin }) => [
    `SRC_ENDPOINT redirects to ${origin}, and the app follows no redirect.`,
    `Set SRC_ENDPOINT to ${origin}, if that is your service.`,
  ],
  serviceFails: ({ host, status }) => [
    `${host} answers HTTP ${status}.`,
    'Repair the service, or the proxy before it; then run the doctor again.',
  ],
  serviceIsOther: ({ host, status }) => [
    `${host} does not tell a version as the service does (HTTP ${status}).`,
    'Check the path of SRC_ENDPOINT: it is the address of the whole service, without /search or /.api.',
  ],

  serviceSignInPage: ({ host }) => [
    `${host} answers with a page for people, such as the sign-in of an identity proxy.`,
    'Let the app pass the proxy: set SRC_HEADERS to what it asks for. Without such a proxy, check the path of SRC_ENDPOINT.',
  ],
  serviceCompresses: ({ host, coding }) => [
    `${host} answers compressed (${coding}), although the app asks for plain replies.`,
    'Turn that off at the proxy before the service, for requests with accept-encoding: identity.',
  ],
};
