import { team } from '../../../src/local-slack/people.ts';

type Body = Record<string, unknown>;

/** The same payload for an app installed in a workspace of an Enterprise organization. */
export function inEnterprise(body: Body): Body {
  const enterprise = { id: 'E0GRID', name: 'Grid' };
  if (body.type === 'event_callback') {
    return {
      ...body,
      enterprise_id: enterprise.id,
      context_team_id: team.id,
      context_enterprise_id: enterprise.id,
      authorizations: [
        {
          enterprise_id: enterprise.id,
          team_id: team.id,
          user_id: team.botUserId,
          is_bot: true,
          is_enterprise_install: false,
        },
      ],
    };
  }
  if ('command' in body) {
    return { ...body, enterprise_id: enterprise.id, enterprise_name: enterprise.name, is_enterprise_install: 'false' };
  }
  return {
    ...body,
    enterprise,
    is_enterprise_install: false,
    team: { id: team.id, domain: 'fake', enterprise_id: enterprise.id, enterprise_name: enterprise.name },
  };
}

/** The same event in a channel shared with another organization. */
export function inSharedChannel(body: Body): Body {
  return { ...body, is_ext_shared_channel: true };
}
