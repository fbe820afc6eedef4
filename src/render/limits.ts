/**
 * All of Slack's limits that this app respects, in UTF-16 code units unless the name says otherwise. Sources: Slack's
 * reference pages of these methods and blocks. `messageWeight` and `blockWeight` are not documented; see there.
 */
export const LIMITS = {
  /** `text` of `chat.postMessage`. Slack cuts off the rest. */
  postText: 40_000,
  /** `text` of `chat.update` and `chat.postEphemeral`. Users of the API measured that Slack counts UTF-8 bytes here. */
  updateTextBytes: 4_000,
  /**
   * This app's own limit for notification texts. A code unit has at most 3 bytes, so the text fits `updateTextBytes`.
   */
  notificationText: 1_000,
  /** This app's own limit for `text` of a message without blocks, so that the content of a message with blocks fits. */
  plainText: 13_000,
  messageBlocks: 50,
  /** All `markdown` blocks of one message together. */
  markdownText: 12_000,
  /**
   * All blocks of one message together. Above it Slack answers `msg_blocks_too_long`. Measured by users of the API, not
   * promised by Slack: 13,297 characters in one block pass, 13,172 next to a divider (slackapi/bolt-js issue 2509).
   */
  messageWeight: 13_000,
  /** What each block adds to `messageWeight` besides its text. */
  blockWeight: 130,
  blockId: 255,
  actionId: 255,
  sectionText: 3_000,
  sectionFields: 10,
  fieldText: 2_000,
  contextElements: 10,
  actionElements: 25,
  headerText: 150,
  textObject: 3_000,
  buttonText: 75,
  /** Label of a menu entry. */
  optionText: 75,
  buttonValue: 2_000,
  url: 3_000,
  tableRows: 100,
  tableColumns: 20,
  /** All tables of one message together. */
  tableText: 10_000,
  inputText: 3_000,
  modalBlocks: 100,
  homeBlocks: 100,
  modalTitle: 24,
  modalMetadata: 3_000,
  callbackId: 255,
  viewBytes: 250_000,
  metadataBytes: 8_000,
} as const;
