import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestRepository, type TestRepository } from './repository.ts';

export interface HostileRepository extends TestRepository {
  /** Names of the configured programs that ran since the last call. */
  traces: () => string[];
}

/**
 * A repository whose configuration names a program wherever git allows one; each leaves a file when it runs. In a `partial`
 * one, the content of `missing.txt` must be fetched from a remote with a program of its own.
 */
export function createHostileRepository({ partial = false } = {}): HostileRepository {
  const repository = createTestRepository({
    'src/code.ts': '/** Greets people. */\nexport function greetPeople() {\n  return 1;\n}\n',
    'missing.txt': 'this text is gone\n',
    '.gitattributes': '* diff=hostile filter=hostile merge=hostile\n',
  });
  const first = repository.commit('Greet people');
  const inner = join(repository.path, 'inner');
  mkdirSync(inner);
  repository.git('-C', inner, 'init', '-q');
  repository.git('update-index', '--add', '--cacheinfo', `160000,${first},inner`);
  repository.git('-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'Add a submodule');
  repository.write('src/code.ts', '/** Greets people. */\nexport function greetPeople() {\n  return 2;\n}\n');
  repository.commit('Greet people twice');
  sign(repository);

  const folder = join(repository.path, '.git', 'traces');
  mkdirSync(folder);
  const program = (name: string): string => {
    const file = join(repository.path, '.git', `program-${name}`);
    writeFileSync(file, `#!/bin/sh\n: > '${join(folder, name)}'\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const hooks = join(repository.path, '.git', 'hostile-hooks');
  mkdirSync(hooks);
  for (const hook of ['post-index-change', 'reference-transaction', 'post-checkout', 'pre-auto-gc']) {
    writeFileSync(join(hooks, hook), `#!/bin/sh\n: > '${join(folder, hook)}'\n`);
    chmodSync(join(hooks, hook), 0o755);
  }
  const included = join(repository.path, '.git', 'included');
  writeFileSync(included, `[core]\n\tfsmonitor = ${program('included-fsmonitor')}\n[log]\n\tshowSignature = true\n`);
  const remote = join(repository.path, '.git', 'remote.git');
  repository.git('clone', '-q', '--bare', repository.path, remote);
  const settings: Record<string, string> = {
    'core.fsmonitor': program('fsmonitor'),
    'core.pager': program('pager'),
    'core.editor': program('editor'),
    'core.sshCommand': program('ssh'),
    'core.askPass': program('askpass'),
    'core.gitProxy': program('proxy'),
    'core.alternateRefsCommand': program('alternate-refs'),
    'core.hooksPath': hooks,
    'gpg.program': program('gpg'),
    'gpg.ssh.program': program('gpg-ssh'),
    'gpg.x509.program': program('gpg-x509'),
    'log.showSignature': 'true',
    'diff.external': program('external-diff'),
    'diff.hostile.command': program('diff-driver'),
    'diff.hostile.textconv': program('textconv'),
    'filter.hostile.clean': program('clean'),
    'filter.hostile.smudge': program('smudge'),
    'filter.hostile.process': program('filter-process'),
    'merge.hostile.driver': program('merge-driver'),
    'credential.helper': program('credential'),
    'uploadpack.packObjectsHook': program('pack-objects'),
    'interactive.diffFilter': program('diff-filter'),
    'remote.origin.url': remote,
    'remote.origin.uploadpack': program('upload-pack'),
    'remote.origin.vcs': '',
    'protocol.allow': 'always',
    'protocol.file.allow': 'always',
    'protocol.ext.allow': 'always',
    'submodule.recurse': 'true',
    'diff.submodule': 'log',
    'submodule.inner.url': remote,
    'include.path': included,
    'color.ui': 'always',
    'color.grep': 'always',
    'color.diff': 'always',
    'column.ui': 'always',
    'grep.patternType': 'fixed',
    'grep.lineNumber': 'true',
    'diff.noprefix': 'true',
    'log.follow': 'true',
    'log.date': 'relative',
    'format.pretty': 'oneline',
  };
  delete settings['remote.origin.vcs'];
  for (const command of ['log', 'show', 'grep', 'blame', 'diff', 'ls-tree', 'cat-file', 'rev-parse', 'for-each-ref']) {
    settings[`pager.${command}`] = program(`pager-${command}`);
    settings[`alias.${command}`] = `!${program(`alias-${command}`)}`;
  }
  if (partial) {
    settings['core.repositoryFormatVersion'] = '1';
    settings['extensions.partialClone'] = 'origin';
    settings['remote.origin.promisor'] = 'true';
    const blob = repository.git('rev-parse', 'HEAD:missing.txt').trim();
    rmSync(join(repository.path, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
  }
  for (const [name, value] of Object.entries(settings)) repository.git('config', name, value);
  repository.git('-C', inner, 'config', 'core.fsmonitor', program('submodule-fsmonitor'));
  writeFileSync(join(repository.path, '.git', 'info', 'attributes'), '* diff=hostile filter=hostile\n');
  return {
    ...repository,
    traces() {
      const found = existsSync(folder) ? readdirSync(folder) : [];
      for (const name of found) rmSync(join(folder, name));
      return found.sort();
    },
  };
}

/** Replaces the newest commit by the same one with a signature, which git checks with the configured program. */
function sign(repository: TestRepository): void {
  const [head = '', ...message] = repository.git('cat-file', 'commit', 'HEAD').split('\n\n');
  const signature = ['gpgsig -----BEGIN PGP SIGNATURE-----', ' ', ' aGVsbG8=', ' -----END PGP SIGNATURE-----'].join(
    '\n',
  );
  const file = join(repository.path, '.git', 'signed-commit');
  writeFileSync(file, `${head}\n${signature}\n\n${message.join('\n\n')}`);
  const id = repository.git('hash-object', '-t', 'commit', '-w', file).trim();
  repository.git('update-ref', 'HEAD', id);
}
