/** An earlier question of another conversation. `before`: the questions before it, oldest first. */
export interface Followed {
  text: string;
  shareUrl?: string;
  /** The key of the share URL's service. Absent: the app's own one. */
  service?: string;
  before?: string[];
}
