/** The readers who are not members of the workspace. A person saw this list and agreed to show them an answer. */
export interface ConfirmedAudience {
  guests: number;
  outsiders: number;
  organizations: number;
  /** False if Slack did not say who reads there. The person confirmed that too. */
  isKnown: boolean;
  /** Ids of the readers. If absent, none counts as confirmed: records of earlier versions hold only the numbers. */
  ids?: ReaderIds;
}

/** Slack's ids of a place's readers who are not full members, and of the other organizations there. */
export interface ReaderIds {
  guests: string[];
  outsiders: string[];
  organizations: string[];
}
