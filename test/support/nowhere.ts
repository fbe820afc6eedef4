/**
 * An address that refuses connections. No server of a test ever gets this port, unlike one that was freed a moment ago:
 * another file of tests may listen there by now.
 */
export const nowhere = 'http://127.0.0.1:9';
