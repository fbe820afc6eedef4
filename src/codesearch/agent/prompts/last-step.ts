/** Raise with every change of the text. */
export const LAST_STEP_VERSION = 1;

/** Sent before the last request, which may call no tools. */
export const LAST_STEP = `No more tools can be called for this question. Write the answer now, in the form that was described, from what you have read. Say plainly which part of the question you could not settle.`;
