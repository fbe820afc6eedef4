import type { ModalView } from '@slack/types';
import { isAppError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import { within } from '../../core/timeout.ts';
import { renderWords } from '../../render/modals.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { logFailure } from '../failure-log.ts';
import type { Recipient } from '../messages/messenger.ts';
import type { PrivateNotifier } from '../messages/private-notifier.ts';
import { modalPatienceMs } from '../settings.ts';

/** What is needed to open a modal for a person. */
interface Opener {
  triggerId: string | undefined;
  recipient: Recipient;
  /** The question that the modal is about, if there is one. */
  questionId?: string;
}

export interface ModalDeps {
  slack: Pick<SlackApi, 'call'>;
  notify: PrivateNotifier['notify'];
  tasks: BackgroundTasks;
  log: Log;
}

/** Opens a modal as `openModal` does, and returns at once, so that the press can be acknowledged. */
export function openInOwnTime(deps: ModalDeps, opener: Opener, fill: () => Promise<ModalView>): void {
  void deps.tasks.run({ event: 'modal_not_opened', ...aboutOf(opener) }, () => openModal(deps, opener, fill));
}

/**
 * Opens a modal before anything slow happens: with the content from `fill`, or with a short text until `fill` is ready.
 * When the modal can't be opened, the person is told privately. Errors of Slack and of the storage are not thrown.
 */
export async function openModal(deps: ModalDeps, opener: Opener, fill: () => Promise<ModalView>): Promise<void> {
  const { triggerId, recipient } = opener;
  if (triggerId === undefined) return notOpened({ reason: 'no_trigger' });
  const filling = fill().catch((error: unknown) => {
    const reference = logFailure(deps.log, 'error', { event: 'modal_not_filled', ...aboutOf(opener) }, error);
    return renderWords((say) => say.modals.failed(), undefined, reference);
  });
  const quick = await within(filling, modalPatienceMs);
  const view = quick ?? renderWords((say) => say.modals.loading(), undefined);
  let viewId: string | undefined;
  try {
    const opened = await deps.slack.call('views.open', { trigger_id: triggerId, view }, { priority: 'private' });
    viewId = opened.view?.id;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return notOpened({ kind: error.kind }, error);
  }
  if (quick !== undefined || viewId === undefined) return;
  const id = viewId;
  void deps.tasks.run({ event: 'modal_not_filled', ...aboutOf(opener) }, async () =>
    updateModal(deps, id, await filling),
  );

  function notOpened(why: { reason: string } | { kind: string }, error?: unknown): void {
    const failure = { event: 'modal_not_opened', ...why, ...aboutOf(opener) };
    deps.notify(recipient, { kind: 'formNotOpened', reference: logFailure(deps.log, 'warn', failure, error) });
  }
}

function aboutOf({ questionId }: Opener): { questionId?: string } {
  return questionId === undefined ? {} : { questionId };
}

/** Replaces the content of a modal, if it is still open. Never throws. */
export async function updateModal(deps: ModalDeps, viewId: string, view: ModalView): Promise<void> {
  try {
    await deps.slack.call('views.update', { view_id: viewId, view }, { priority: 'private' });
  } catch (error) {
    deps.log.warn({ event: 'modal_not_updated' }, error);
  }
}
