import { z } from 'zod';

/** Who sees the answer of a question. */
export const showingSchema = z.looseObject({
  choice: z.enum(['here', 'always', 'onlyMe']).exactOptional(),
  by: z.enum(['asker', 'earlier', 'time']).exactOptional(),
  askedMs: z.number().exactOptional(),
  noticedMs: z.number().exactOptional(),
  rememberedMs: z.number().exactOptional(),
  sentMs: z.number().exactOptional(),
});
