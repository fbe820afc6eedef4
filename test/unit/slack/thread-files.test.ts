import { describe, expect, it } from 'vitest';
import { isFileAddress } from '../../../src/slack/threads/thread-files.ts';

const slackApi = new URL('https://slack.com/api/');
const ownApi = new URL('http://127.0.0.1:8080/api/');

describe('the token may be sent', () => {
  it.each([
    'https://files.slack.com/files-pri/T1-F1/a.txt',
    'https://files.slack.com/files-pri/T1-F1/download/a%20b.txt?t=1#top',
    'https://files.slack.com/files-pri/T1-F1/100%25_done%21.txt',
    'https://acme.enterprise.slack.com/files-pri/T1-F1/a.txt',
    'https://slack.com/files-pri/T1-F1/a.txt',
    'https://slack-files.com/files-pri/T1-F1/a.txt',
    'https://files.slack-gov.com/files-pri/T1-F1/a.txt',
    'https://files.slack.com:443/files-pri/T1-F1/a.txt',
  ])('to the file address %s', (url) => {
    expect(isFileAddress(new URL(url), slackApi)).toBe(true);
    expect(isFileAddress(new URL(url), ownApi)).toBe(true);
  });

  it('to the server of a stand-in for Slack, outside its Web API', () => {
    expect(isFileAddress(new URL('http://127.0.0.1:8080/files-pri/T1-F1/api/a.txt'), ownApi)).toBe(true);
    expect(isFileAddress(new URL('http://127.0.0.1:8080/apiary.txt'), ownApi)).toBe(true);
  });
});

describe('the token may not be sent', () => {
  it.each([
    ['to the Web API', 'https://slack.com/api/chat.delete?channel=C1&ts=1.1'],
    ['to the Web API by another host', 'https://files.slack.com/api/users.list'],
    ['to the Web API by a workspace', 'https://acme.slack.com/api/users.list'],
    ['to the Web API by way of the files', 'https://files.slack.com/files-pri/../api/users.list'],
    ['to the Web API by dots in disguise', 'https://files.slack.com/files-pri/%2e%2e/api/users.list'],
    ['to the Web API by a slash in disguise', 'https://files.slack.com/files-pri/..%2Fapi/users.list'],
    ['to the Web API by a backslash in disguise', 'https://files.slack.com/files-pri/..%5capi/users.list'],
    ['to pages of Slack', 'https://acme.slack.com/files/U1/F1/a.txt'],
    ['to the folder of all files', 'https://files.slack.com/files-pri/'],
    ['in the clear', 'http://files.slack.com/files-pri/T1-F1/a.txt'],
    ['to another port', 'https://files.slack.com:8443/files-pri/T1-F1/a.txt'],
    ['with a name', 'https://user@files.slack.com/files-pri/T1-F1/a.txt'],
    ['with a password', 'https://:secret@files.slack.com/files-pri/T1-F1/a.txt'],
    ['to a host that only ends alike', 'https://evilslack.com/files-pri/T1-F1/a.txt'],
    ['to a host that only begins alike', 'https://files.slack.com.evil.example/files-pri/T1-F1/a.txt'],
    ['to a host that only looks alike', 'https://files.sl\u0430ck.com/files-pri/T1-F1/a.txt'],
    ['to what a name makes look like a host', 'https://files.slack.com@evil.example/files-pri/T1-F1/a.txt'],
    ['to a host below that of a stand-in', 'https://files.127.0.0.1.evil.example/files-pri/T1-F1/a.txt'],
    ['to another port of the same machine', 'http://127.0.0.1:8081/files-pri/T1-F1/a.txt'],
    ['to the Web API of a stand-in', 'http://127.0.0.1:8080/api/users.list'],
    ['to the Web API of a stand-in, in capitals', 'http://127.0.0.1:8080/API/users.list'],
    ['to the Web API by dots that are encoded twice', 'https://files.slack.com/files-pri/.%252e/api/users.list'],
    ['to the Web API of a stand-in, by encoded letters', 'http://127.0.0.1:8080/%61p%49/users.list'],
    ['to the Web API of a stand-in, by letters that are encoded twice', 'http://127.0.0.1:8080/%2561pi/users.list'],
    ['to the Web API of a stand-in, with doubled slashes', 'http://127.0.0.1:8080//api//users.list'],
  ])('%s, as in %s', (_, url) => {
    expect(isFileAddress(new URL(url), url.startsWith('http://127') ? ownApi : slackApi)).toBe(false);
  });

  it('anywhere on a stand-in whose Web API has no separate path', () => {
    expect(isFileAddress(new URL('http://127.0.0.1:8080/files-pri/a'), new URL('http://127.0.0.1:8080/'))).toBe(false);
  });
});
