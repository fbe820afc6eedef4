/** Ids in the workspace of the demo. */
export const WORKSPACE = {
  teamId: 'T0DEMO',
  botUserId: 'U0DEEP',
  botName: 'deepsearch',
  alice: 'U0ALICE',
  bob: 'U0BOB',
  carol: 'U0CAROL',
  general: 'C0GENERAL',
  payments: 'C0PAYMENTS',
  /** The app is not a member of this channel, so it does not see its messages. */
  design: 'C0DESIGN',
  /** Alice's direct messages with the app. */
  aliceDirect: 'D0ALICE',
} as const;

/** The local Slack does not check tokens, so these need not be secret. */
export const SLACK_TOKENS = { botToken: 'xoxb-demo', appToken: 'xapp-demo' } as const;

/** The configuration of the local Slack (https://github.com/parvalabs/local-slack, "Configuration"). */
export function workspaceConfig(): object {
  const { teamId, botUserId, botName, alice, bob, carol, general, payments, design, aliceDirect } = WORKSPACE;
  return {
    workspace: { name: 'Demo Workspace', domain: 'demo', teamId },
    app: { appId: 'A0DEEP', botUserId, botName, ...SLACK_TOKENS, mode: 'socket' },
    users: [
      { id: alice, name: 'alice', real_name: 'Alice Anderson' },
      { id: bob, name: 'bob', real_name: 'Bob Brown' },
      { id: carol, name: 'carol', real_name: 'Carol Chen' },
    ],
    channels: [
      { id: general, name: 'general', members: [alice, bob, carol, botUserId] },
      { id: payments, name: 'payments', members: [alice, bob, botUserId] },
      { id: design, name: 'design', members: [alice, carol] },
      {
        id: aliceDirect,
        name: 'direct',
        is_im: true,
        is_channel: false,
        is_private: true,
        members: [alice, botUserId],
      },
    ],
  };
}
