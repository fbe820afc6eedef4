import { z } from 'zod';

const REFUSAL = z.object({ error: z.object({ param: z.literal('max_tokens') }) });

/**
 * Newer models of OpenAI refuse the limit of output under its old name `max_tokens`, and older servers refuse the new one. Sends the
 * old name until a server refuses it, and the new one from then on.
 */
export function renamingTokenLimit(send: typeof fetch): typeof fetch {
  let isNew = false;
  return async (input, init = {}) => {
    if (isNew) return send(input, renamed(init));
    const response = await send(input, init);
    if (response.status !== 400) return response;
    const text = await response.text();
    if (!REFUSAL.safeParse(parse(text)).success) {
      return new Response(text, { status: response.status, headers: response.headers });
    }
    isNew = true;
    return send(input, renamed(init));
  };
}

function renamed(init: RequestInit): RequestInit {
  const { max_tokens, ...others } = parse(String(init.body)) as Record<string, unknown>;
  return { ...init, body: JSON.stringify({ ...others, max_completion_tokens: max_tokens }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
