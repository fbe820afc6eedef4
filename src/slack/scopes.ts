/**
 * The scopes of the bot, as manifest.yml requests them: the image has no manifest. `optional` ones are in `bot_optional`
 * there. A test compares both.
 */
export const botScopes: Readonly<Record<string, 'needed' | 'optional'>> = {
  'app_mentions:read': 'needed',
  'assistant:write': 'needed',
  'channels:history': 'needed',
  'channels:join': 'optional',
  'channels:read': 'needed',
  'chat:write': 'needed',
  commands: 'needed',
  'files:read': 'optional',
  'files:write': 'optional',
  'groups:history': 'needed',
  'groups:read': 'needed',
  'im:history': 'needed',
  'im:read': 'optional',
  'im:write': 'needed',
  'links:read': 'optional',
  'links:write': 'optional',
  'mpim:history': 'needed',
  'mpim:read': 'needed',
  'usergroups:read': 'optional',
  'users:read': 'needed',
};
