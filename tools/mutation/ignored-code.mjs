// Stryker loads this file in separate processes, which support only JavaScript.

/**
 * Skips mutants of text that appears only in the operator's log: no test should check its wording. Tests do check which
 * lines are logged and the kind and code of errors.
 */
const logWording = {
  /** @param path a `NodePath` of Babel */
  shouldIgnore(path) {
    if (path.listKey !== 'arguments') return undefined;
    const call = path.parentPath;
    if (call.isNewExpression() && call.node.callee.name === 'AppError' && path.key === 1) {
      return 'The message of an AppError appears only in the log; people read a text for its kind.';
    }
    if (call.isNewExpression() && /^(?:Type)?Error$/.test(call.node.callee.name) && path.key === 0) {
      return 'No code reads the message of an error.';
    }
    if (call.isCallExpression() && labelsOfCalls[call.node.callee.name] === path.key && isText(path)) {
      return 'Names an operation in the message of its error.';
    }
    if (call.isCallExpression() && isLog(call.node.callee.object)) {
      return 'The fields of a line of the log are for the operator.';
    }
    return undefined;
  },
};

/** The argument of each function that only names the operation in an error. */
const labelsOfCalls = { run: 0, withDeadline: 2 };

function isText(path) {
  return path.isStringLiteral() || path.isTemplateLiteral();
}

function isLog(node) {
  return node?.name === 'log' || node?.property?.name === 'log';
}

export const strykerPlugins = [{ kind: 'Ignore', name: 'log-wording', value: logWording }];
