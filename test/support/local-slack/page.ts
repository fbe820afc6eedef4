import { WebSocket } from 'ws';
import { z } from 'zod';

const optionSchema = z.looseObject({ text: z.object({ text: z.string() }), value: z.string() });

const elementSchema = z.looseObject({
  type: z.string(),
  action_id: z.string().optional(),
  value: z.string().optional(),
  url: z.string().optional(),
  options: z.array(optionSchema).optional(),
});

/** A block as the app sent it. */
export const blockSchema = z.looseObject({
  type: z.string(),
  block_id: z.string().optional(),
  elements: z.array(elementSchema).optional(),
  accessory: elementSchema.optional(),
});

const viewSchema = z.looseObject({
  id: z.string(),
  callback_id: z.string().optional(),
  private_metadata: z.string().optional(),
  title: z.object({ text: z.string() }).optional(),
  blocks: z.array(blockSchema),
});

/** A modal or Home tab as the local Slack stores it. */
export type LocalView = z.infer<typeof viewSchema>;

const initSchema = z.object({
  t: z.literal('init'),
  state: z.object({
    apps: z.array(z.object({ appId: z.string() })),
    modalStack: z.array(viewSchema),
    homeViews: z.record(z.string(), z.record(z.string(), viewSchema)),
  }),
});

/** The state the page of the local Slack receives when it opens. */
export type PageState = z.infer<typeof initSchema>['state'];

const patienceMs = 20_000;

/**
 * Opens the socket that the page uses, which supports more than the control API. Sends an action of a person and resolves
 * when the local Slack has started to forward it.
 */
export function usePageSocket(url: string, did?: Record<string, unknown>): Promise<PageState> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ui`);
    let state: PageState | undefined;
    const timer = setTimeout(() => end(() => reject(new Error('the page of the local Slack is silent'))), patienceMs);
    socket.on('error', (error) => end(() => reject(error)));
    socket.on('message', (data) => {
      if (state !== undefined) {
        const known = state;
        end(() => resolve(known));
        return;
      }
      const first = initSchema.safeParse(JSON.parse(String(data)));
      if (!first.success) {
        end(() => reject(first.error));
        return;
      }
      state = first.data.state;
      if (did === undefined) end(() => resolve(first.data.state));
      else socket.send(JSON.stringify(did));
    });

    function end(settle: () => void): void {
      clearTimeout(timer);
      socket.close();
      settle();
    }
  });
}
