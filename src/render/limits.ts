/**
 * Every limit of Slack this app respects, in UTF-16 code units unless the name says otherwise. Sources: Slack's reference
 * pages of the methods and blocks named; `messageWeight` and `blockWeight` are not documented, see there.
 */
export const LIMITS = {
  /** `text` of `chat.postMessage`; what is beyond is cut off by Slack. */
  postText: 40_000,
  /** `text` of `chat.update` and `chat.postEphemeral`; people measured that Slack counts UTF-8 bytes here. */
  updateTextBytes: 4_000,
  /** Our own bound for notification texts: at most 3 bytes per code unit, so it passes `updateTextBytes`. */
  notificationText: 1_000,
  /** Our own bound for `text` of a message without blocks: what fits a message with blocks fits here. */
  plainText: 13_000,
  messageBlocks: 50,
  /** All `markdown` blocks of one message together. */
  markdownText: 12_000,
  /**
   * All blocks of one message together; beyond it Slack answers `msg_blocks_too_long`. Measured by users of the API, not
   * promised by Slack: 13,297 characters in one block pass, 13,172 next to a divider (slackapi/bolt-js issue 2509).
   */
  messageWeight: 13_000,
  /** What a block costs of `messageWeight` besides its text. */
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
  /** Of an entry of a menu. */
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
