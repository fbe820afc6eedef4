/** Settings in JSON, which public clients read at their start. This service keeps none. */
export const SETTINGS_TYPES = `
"""What can have settings: the site, an organization or a user."""
interface SettingsSubject {
  id: ID!
  "No settings are kept: always null."
  latestSettings: Settings
  settingsCascade: SettingsCascade!
  settingsURL: String
  viewerCanAdminister: Boolean!
}

type Settings {
  id: Int!
  "JSON."
  contents: String!
  author: User
  createdAt: DateTime!
}

type SettingsCascade {
  "Whose settings these would be, the strongest last."
  subjects: [SettingsSubject!]!
  "All settings merged, as JSON: an empty object."
  final: String!
}
`;
