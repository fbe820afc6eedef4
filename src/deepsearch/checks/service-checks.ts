import { errorCode, isCertificateCode } from '../../core/doctor/error-code.ts';
import type { Check, Finding, Says } from '../../core/doctor/finding.ts';
import { once } from '../../core/doctor/run-checks.ts';
import { isAppError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import type { Quota } from '../../core/question/question.ts';
import { type ApiSetting, type ChosenApi, choose } from '../api-choice.ts';
import { isApiGone } from '../api-gone.ts';
import { startDeadline } from '../deadline.ts';
import type { DeepSearchAdapter, GenerationNumber } from '../generation.ts';
import { createGeneration1 } from '../generation-1/deep-search.ts';
import { createGeneration2 } from '../generation-2/deep-search.ts';
import { createGraphql } from '../graphql.ts';
import { compressed, type HttpReply } from '../http.ts';
import { createProbes, movedTo, type Offers, offersOfVersion, versionText } from '../probes.ts';
import { createServiceClient, createServiceHttp, parseBaseUrl, type ServiceClientOptions } from '../service-client.ts';
import { isHtml, leadsToSignIn } from '../sign-in-page.ts';

export interface ServiceCheckOptions {
  service: Omit<ServiceClientOptions, 'http'>;
  apiSetting: ApiSetting;
  /** `SRC_SUDO_USER`. */
  sudoUser: string | undefined;
  /** Reads the token in a share link of another account. Undefined result: no link of this service. Absent: none given. */
  shareToken: (() => string | undefined) | undefined;
  log: Log;
}

/** Longest time of one call of the doctor, in milliseconds, with its retries. */
const callMs = 5_000;
/** From this part of the quota on, answers show it too. */
const nearlyUsed = 0.8;

/** How the service answered a request without a token. */
type Reached = { reply: HttpReply } | { code: string };

/** What the service offers, and which generation the app uses. */
interface Api {
  offers: Offers;
  chosen: ChosenApi;
  version: string;
}

/** The checks of the code search service. They only read. `close` ends their connections. */
export function createServiceChecks(options: ServiceCheckOptions): { checks: Check[]; close(): Promise<void> } {
  const { service, apiSetting, sudoUser, log } = options;
  const bounded = { ...service, timeoutMs: callMs, connectTimeoutMs: callMs };
  const http = createServiceHttp(bounded);
  const client = createServiceClient({ ...bounded, http });
  const probes = createProbes(bounded, log);
  const graphql = createGraphql(client);
  const base = parseBaseUrl(service.baseUrl);
  const { host } = new URL(service.baseUrl);
  const isSudo = sudoUser !== undefined;

  const reach = once(reachNow);
  const api = once(readApi);
  /** The newest conversation of the app's account, over the generation in use. */
  const newest = once(async () => (await (await adapter()).newest(1))[0]);

  const checks: Check[] = [
    { name: 'service', run: address },
    { name: 'version', run: version },
    { name: 'serviceToken', run: token },
    { name: 'account', run: account },
    { name: 'sharing', run: sharing },
    { name: 'quota', run: quota },
  ];
  return {
    checks,
    async close() {
      await client.close();
      await probes.close();
      await http.close();
    },
  };

  async function reachNow(): Promise<Reached> {
    const never = new AbortController();
    const deadline = startDeadline(callMs, never.signal);
    try {
      const path = `${base.prefix}/__version`;
      const request = { method: 'GET', label: 'GET /__version', template: path, safe: true } as const;
      const headers = { accept: 'text/plain', 'x-requested-with': `deepsearch-slack ${service.userAgentVersion}` };
      return { reply: await http.send({ ...request, path, headers, readsFailure: () => true }, deadline.signal) };
    } catch (error) {
      return { code: errorCode(error) };
    } finally {
      deadline.stop();
    }
  }

  async function address(say: Says): Promise<Finding[]> {
    const reached = await reach();
    if ('code' in reached) {
      const { code } = reached;
      if (code.startsWith(compressed)) {
        return [say('fail', 'serviceCompresses', { host, coding: code.slice(compressed.length) })];
      }
      const isUntrusted = isCertificateCode(code);
      return [say('fail', isUntrusted ? 'serviceNotTrusted' : 'serviceUnreachable', { host, code })];
    }
    const { reply } = reached;
    const { status } = reply;
    const origin = movedTo(reply, `${base.prefix}/__version`);
    if (origin !== undefined) return [say('fail', 'serviceMoved', { origin })];
    if (leadsToSignIn(reply) || (isHtml(reply) && [200, 401, 403].includes(status))) {
      return [say('fail', 'serviceSignInPage', { host })];
    }
    if (status >= 500) return [say('fail', 'serviceFails', { host, status })];
    if (versionText(reply) === undefined) return [say('warn', 'serviceIsOther', { host, status })];
    return [say('pass', 'serviceReached', { host })];
  }

  /** Undefined if the service can't be reached. */
  async function readApi(): Promise<Api | undefined> {
    if ('code' in (await reach())) return undefined;
    const { offers: listed, version: told } = await probes.all();
    const promised = offersOfVersion(told);
    const offerOf = (number: GenerationNumber) => (listed[number] === 'unknown' ? promised[number] : listed[number]);
    const offers: Offers = { 1: offerOf(1), 2: offerOf(2) };
    return { offers, chosen: choose(apiSetting, offers, 1), version: told ?? 'unknown' };
  }

  async function version(say: Says): Promise<Finding[]> {
    const found = await api();
    if (found === undefined) return [say('warn', 'notChecked', { because: 'service' })];
    const { offers, chosen, version: told } = found;
    const { number: generation, isMissing } = chosen;
    const offered = ([1, 2] as const).find((number) => offers[number] === 'yes');
    if (isMissing && apiSetting !== 'auto' && offered !== undefined) {
      return [say('fail', 'generationNotOffered', { version: told, setting: apiSetting, offered })];
    }
    if (isMissing) return [say('fail', 'apiMissing', { version: told })];
    if (await isNotFound()) return [say('fail', 'apiNotFound', { host })];
    const isKnown = offers[generation] === 'yes';
    return [
      isKnown
        ? say('pass', 'generationChosen', { version: told, generation })
        : say('warn', 'apiNotTold', { version: told }),
    ];
  }

  /** Whether the address of the API in use leads nowhere, for example because a gateway has no route for it. */
  function isNotFound(): Promise<boolean> {
    return newest().then(() => false, isApiGone);
  }

  async function adapter(): Promise<DeepSearchAdapter> {
    const found = await api();
    const create = found?.chosen.number === 2 ? createGeneration2 : createGeneration1;
    return create(client, service.baseUrl).deepSearch;
  }

  async function token(say: Says): Promise<Finding[]> {
    const { auth } = service;
    try {
      if (auth.kind === 'account') await auth.current();
    } catch (error) {
      return [say('fail', 'appGetsNoToken', { code: errorCode(error) })];
    }
    const found = await api();
    if (found === undefined) return [say('warn', 'notChecked', { because: 'service' })];
    if (found.chosen.isMissing || (await isNotFound())) return [say('warn', 'notChecked', { because: 'version' })];
    try {
      await newest();
      return [say('pass', 'serviceTokenAccepted', {})];
    } catch (error) {
      const code = errorCode(error);
      if (!isAppError(error, 'unauthorized')) return [say('warn', 'serviceTokenNotChecked', { code })];
      if (error.code === 403) return [say('fail', 'serviceTokenMayNotAsk', { by: service.auth.kind })];
      return [say('fail', 'serviceTokenRefused', { status: code, by: service.auth.kind })];
    }
  }

  async function account(say: Says): Promise<Finding[]> {
    if ((await api()) === undefined) return [say('warn', 'notChecked', { because: 'service' })];
    try {
      const { username } = await graphql.currentUser();
      const shown = username.replace(/[^\w.@+-]/g, '?').slice(0, 100);
      if (isSudo && username !== sudoUser) return [say('fail', 'accountIsOther', { username: shown })];
      return [say('pass', 'accountKnown', { username: shown })];
    } catch (error) {
      const code = errorCode(error);
      if (isAppError(error, 'unauthorized') && error.code === undefined) return [say('fail', 'accountOfNoOne', {})];
      // A token that is refused everywhere has a line already.
      if (isAppError(error, 'unauthorized') && (await isTokenRefused())) {
        return [say('warn', 'notChecked', { because: 'serviceToken' })];
      }
      const isRefused = isAppError(error, 'unauthorized', 'refused', 'notFound');
      return [isRefused ? say('warn', 'accountNotAllowed', { code }) : say('warn', 'accountNotChecked', { code })];
    }
  }

  /** Whether the service refuses the token for conversations too. */
  async function isTokenRefused(): Promise<boolean> {
    return newest().then(
      () => false,
      (error: unknown) => isAppError(error, 'unauthorized'),
    );
  }

  async function sharing(say: Says): Promise<Finding[]> {
    const found = await api();
    if (found === undefined) return [say('warn', 'notChecked', { because: 'service' })];
    if (found.chosen.isMissing || (await isNotFound())) return [say('warn', 'notChecked', { because: 'version' })];
    if (await isTokenRefused()) return [say('warn', 'notChecked', { because: 'serviceToken' })];
    if (found.chosen.number === 2) return [say('pass', 'sharingWithoutTokens', {})];
    if (options.shareToken === undefined) return [say('pass', 'sharingNotTold', {})];
    const readToken = options.shareToken();
    if (readToken === undefined) return [say('warn', 'sharingLinkUnreadable', {})];
    try {
      await (await adapter()).byReadToken(readToken);
      return [say('pass', 'sharingOn', {})];
    } catch (error) {
      const isClosed = isAppError(error, 'notFound', 'unauthorized', 'refused');
      return [isClosed ? say('warn', 'sharingOff', {}) : say('warn', 'sharingNotChecked', { code: errorCode(error) })];
    }
  }

  async function quota(say: Says): Promise<Finding[]> {
    if ((await api()) === undefined) return [say('warn', 'notChecked', { because: 'service' })];
    if (await isTokenRefused()) return [say('warn', 'notChecked', { because: 'serviceToken' })];
    try {
      const known = await readQuota();
      if (known === 'notTold') return [say('pass', 'quotaNotTold', {})];
      if (known === undefined) return [say('pass', 'quotaNone', {})];
      const part = known.used / known.limit;
      const percent = Math.floor(part * 100);
      if (part >= 1) return [say('fail', 'quotaUsedUp', {})];
      return [part >= nearlyUsed ? say('warn', 'quotaNearlyUsed', { percent }) : say('pass', 'quotaLeft', { percent })];
    } catch (error) {
      return [say('warn', 'quotaNotChecked', { code: errorCode(error) })];
    }
  }

  /** GraphQL tells the quota since 7.0. Before, a finished conversation does. Undefined: there is no limit. */
  async function readQuota(): Promise<Quota | undefined | 'notTold'> {
    try {
      return await graphql.quota();
    } catch (error) {
      if (!isAppError(error, 'refused', 'unauthorized', 'notFound')) throw error;
    }
    const conversation = await newest();
    if (conversation === undefined) return 'notTold';
    return (await (await adapter()).read(conversation.id)).quota ?? 'notTold';
  }
}
