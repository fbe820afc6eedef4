// Stryker loads this file into processes of its own, which read JavaScript only.

/**
 * Code whose mutants would tell nothing about the tests: what only the operator's log shows. Which lines are logged, and
 * that an error has the right kind and code, is tested; the wording is free to change.
 */
const wordsOfTheLog = {
  /** @param path a `NodePath` of Babel */
  shouldIgnore(path) {
    if (path.listKey !== 'arguments') return undefined;
    const call = path.parentPath;
    if (call.isNewExpression() && call.node.callee.name === 'AppError' && path.key === 1) {
      return 'The message of an AppError is for the log; people are told by its kind.';
    }
    if (call.isNewExpression() && /^(?:Type)?Error$/.test(call.node.callee.name) && path.key === 0) {
      return 'No code reads the message of an error.';
    }
    if (call.isCallExpression() && labelsOfCalls[call.node.callee.name] === path.key && isText(path)) {
      return 'Names an operation in the message of its error.';
    }
    if (call.isCallExpression() && isJournal(call.node.callee.object)) {
      return 'The fields of a line of the log are for the operator.';
    }
    return undefined;
  },
};

/** Which argument of a function only names, in an error, what was done. */
const labelsOfCalls = { run: 0, withDeadline: 2 };

function isText(path) {
  return path.isStringLiteral() || path.isTemplateLiteral();
}

function isJournal(node) {
  return node?.name === 'journal' || node?.property?.name === 'journal';
}

export const strykerPlugins = [{ kind: 'Ignore', name: 'words-of-the-log', value: wordsOfTheLog }];
