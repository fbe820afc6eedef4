import { describe, expect, it } from 'vitest';
import { findingOf } from '../../../src/core/doctor.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { doctorReport, doctorText, renderDoctor } from '../../../src/render/doctor.ts';

const passes = findingOf('clock', 'clockRight', {});
const warns = findingOf('account', 'notTold', { reason: 'POST /.api/graphql answered 403' });
const fails = findingOf('service', 'noReply', { host: '<!channel>&co', reason: 'ECONNREFUSED' });

describe('the report of the doctor', () => {
  it('has a line for each finding, and what to mend below it', () => {
    expect(doctorText([passes, fails])).toBe(
      [
        "pass  Clock              This machine's clock agrees with Slack's.",
        'fail  Service            No usable reply from <!channel>&co: ECONNREFUSED.',
        '                         -> Check the address, firewall and proxy. If the code is about a certificate: see SRC_CA_FILE.',
        '',
        '1 fail, 0 warn, 1 pass',
        '',
      ].join('\n'),
    );
  });

  it('shows nothing that controls a terminal', () => {
    const reason = '\u001b]0;owned\u0007\u001b[2Jnoeviction\u009b31m\u202e\r';
    const finding = findingOf('redis', 'refused', { reason, settings: 'REDIS_URL' });
    const shown = [doctorText([finding]), ...doctorReport([finding]).map(({ message }) => message)];
    for (const text of shown) expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('has names that stay, for programs', () => {
    expect(doctorReport([passes])).toEqual([
      { check: 'clock', status: 'pass', finding: 'clockRight', message: "This machine's clock agrees with Slack's." },
    ]);
  });

  it('shows in Slack what fails first, and nothing in it pings', () => {
    const { text, blocks } = renderDoctor([passes, warns, fails], 'de');
    expect(text).toBe('*Doctor:* 1 × fail, 1 × warn, 1 × pass');
    const shown = JSON.stringify(blocks);
    expect(shown).toMatch(
      /\*fail\* · Service: Keine .* von &lt;!channel&gt;&amp;co.*\*warn\* · Account: Nicht.*\*pass\* · Clock: Die Uhr/s,
    );
  });

  it('fits into one message of Slack, also when everything fails', () => {
    const message = renderDoctor(
      Array.from({ length: 40 }, () => warns),
      'en-US',
    );
    expect(slackProblems('chat.postEphemeral', { channel: 'C1', user: 'U1', ...message })).toEqual([]);
  });
});
