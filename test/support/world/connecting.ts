import { eventually } from '../eventually.ts';
import { buttonOf } from '../local-slack/payloads.ts';
import { buttonsOf, type World } from './world.ts';

/** Settings with which people can connect accounts. */
export const withAccounts = (mode: 'preferred' | 'required'): Record<string, string> => ({
  ACCOUNTS: mode,
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
});

/** Connects a person's account with an access token, as they do it: by the command and its form. */
export async function connectAccount(world: World, user: string, token: string): Promise<void> {
  const { response } = await world.command('connect', { user });
  const reply = response as { text: string; blocks?: Parameters<typeof buttonsOf>[0] };
  const [button] = buttonsOf(reply.blocks);
  if (button === undefined) throw new Error(`the reply to connect has no button: ${JSON.stringify(reply)}`);
  const channel = 'C0GENERAL';
  const responseUrl = world.slack.responseUrl(`connect-${user}?user=${user}&channel=${channel}`);
  const place = { ephemeral: { channel, user, text: reply.text }, responseUrl };
  await world.deliver(
    buttonOf({ actionId: button.actionId, blockId: button.blockId, user, place, label: button.label }),
  );
  const form = await world.modal();
  const { acknowledged } = await world.submit(form, { token }, { user });
  if (!acknowledged) throw new Error('the form was not taken');
  await eventually(() => {
    if (!JSON.stringify(world.slack.openViews.at(-1)?.blocks ?? []).includes('Connected as'))
      throw new Error('not connected');
  });
  const view = await world.modal();
  await world.closeModal(view, { user });
}
