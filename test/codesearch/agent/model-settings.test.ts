import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { costOf, createMeter } from '../../../src/codesearch/agent/report.ts';
import { readModelSettings } from '../../../src/codesearch/agent/settings.ts';
import { parseArguments } from '../../../src/codesearch/arguments.ts';
import { parseArguments as parseDemoArguments } from '../../../src/demo/arguments.ts';

const SET = { LLM_BASE_URL: 'http://127.0.0.1:11434/v1/', LLM_MODEL: 'qwen' };

describe('the settings of the model', () => {
  test('are absent when neither address nor model is set, whatever else is', () => {
    expect(readModelSettings({ LLM_API_KEY: 'k', LLM_MAX_STEPS: 'many' }, {})).toEqual({
      settings: undefined,
      problems: [],
    });
    expect(readModelSettings({ LLM_BASE_URL: ' ', LLM_MODEL: '' }, {}).settings).toBeUndefined();
  });

  test('have working defaults', () => {
    expect(readModelSettings(SET, {})).toEqual({
      problems: [],
      settings: {
        baseUrl: 'http://127.0.0.1:11434/v1',
        model: 'qwen',
        apiKey: undefined,
        steps: 16,
        tokens: 300_000,
        contextTokens: 60_000,
        timeMs: 120_000,
        silenceMs: 60_000,
        retries: 2,
        cost: 1,
        prices: { input: 3, cached: 0.3, output: 15 },
      },
    });
  });

  test('are read from the environment', () => {
    const environment = {
      ...SET,
      LLM_API_KEY: 'sk-1',
      LLM_MAX_STEPS: '5',
      LLM_MAX_TOKENS: '9000',
      LLM_CONTEXT_TOKENS: '8000',
      LLM_MAX_SECONDS: '30',
      LLM_MAX_SILENT_SECONDS: '1.5',
      LLM_MAX_COST: '0.25',
      LLM_PRICES: '1, 0.1, 4',
    };
    expect(readModelSettings(environment, {}).settings).toMatchObject({
      apiKey: 'sk-1',
      steps: 5,
      tokens: 9_000,
      contextTokens: 8_000,
      timeMs: 30_000,
      silenceMs: 1_500,
      cost: 0.25,
      prices: { input: 1, cached: 0.1, output: 4 },
    });
  });

  test('of the command line win', () => {
    const line = ['--repo', 'a', '--llm-base-url', 'https://models.example/v1', '--llm-model', 'other'];
    expect(parseArguments(line, SET)).toMatchObject({
      arguments: { model: { baseUrl: 'https://models.example/v1', model: 'other' } },
    });
  });

  test.each([
    ['LLM_BASE_URL', 'ftp://models.example', 'LLM_BASE_URL is not an http or https address'],
    ['LLM_BASE_URL', 'https://user:sk-secret@models.example/v1', 'LLM_BASE_URL is not'],
    ['LLM_BASE_URL', 'https://models.example/v1?key=sk-secret', 'LLM_BASE_URL is not'],
    ['LLM_API_KEY', 'sk-secret with space', 'LLM_API_KEY may hold'],
    ['LLM_MAX_STEPS', '0', 'LLM_MAX_STEPS is not'],
    ['LLM_MAX_TOKENS', 'sk-secret', 'LLM_MAX_TOKENS is not'],
    ['LLM_CONTEXT_TOKENS', '1', 'LLM_CONTEXT_TOKENS is not'],
    ['LLM_MAX_SECONDS', '241', 'LLM_MAX_SECONDS is not'],
    ['LLM_MAX_SILENT_SECONDS', '0', 'LLM_MAX_SILENT_SECONDS is not'],
    ['LLM_MAX_COST', '-1', 'LLM_MAX_COST is not'],
    ['LLM_PRICES', '3,15', 'LLM_PRICES is not'],
  ])('name the variable %s that is wrong, without its value %s', (name, value, problem) => {
    const { settings, problems } = readModelSettings({ ...SET, [name]: value }, {});
    expect(settings).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
    expect(problems[0]).not.toContain('secret');
  });

  test('need both, address and model', () => {
    expect(readModelSettings({ LLM_MODEL: 'qwen' }, {}).problems).toEqual([
      'LLM_BASE_URL (or --llm-base-url) is needed beside the model',
    ]);
    expect(readModelSettings({ LLM_BASE_URL: SET.LLM_BASE_URL }, {}).problems).toEqual([
      'LLM_MODEL (or --llm-model) is needed beside the address of the model',
    ]);
    expect(parseDemoArguments(['--llm-model', 'qwen'], '/')).toEqual({
      kind: 'wrong',
      problems: ['--llm-base-url and --llm-model are given together'],
    });
  });

  test('of the demo come from its options', () => {
    const line = ['--llm-base-url', 'http://127.0.0.1:11434/v1', '--llm-model', 'qwen'];
    expect(parseDemoArguments(line, '/')).toMatchObject({
      options: { model: { baseUrl: 'http://127.0.0.1:11434/v1', name: 'qwen' } },
    });
  });
});

describe('the cost of a question', () => {
  const prices = { input: 3, cached: 0.3, output: 15 };

  test('counts cached input at its own price', () => {
    expect(costOf({ input: 1_000_000, cached: 400_000, cacheCreation: 0, output: 100_000 }, prices)).toBeCloseTo(3.42);
    expect(costOf({ input: 100, cached: 1_000_000, cacheCreation: 0, output: 0 }, prices)).toBeCloseTo(0.00003);
  });

  test('is added up, and is shown in cents, rounded up', () => {
    const meter = createMeter(prices);
    expect(meter.use().credits).toBe(0);
    meter.add({ input: 1_000, cached: 0, cacheCreation: 10, output: 10 });
    expect(meter.use()).toEqual({
      promptTokens: 1_000,
      cachedTokens: 0,
      cacheCreationTokens: 10,
      completionTokens: 10,
      credits: 1,
    });
    meter.add({ input: 9_000, cached: 0, cacheCreation: 0, output: 0 });
    expect(meter.use().credits).toBe(4);
    expect(meter.tokens()).toBe(10_010);
  });
});

test('nothing of the model is loaded when none is set', () => {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string): void => {
    if (files.has(path) || !existsSync(path)) return;
    files.add(path);
    const imports = readFileSync(path, 'utf8').matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';/gm);
    for (const [, specifier = ''] of imports) {
      if (specifier.startsWith('.')) visit(join(dirname(path), specifier));
      else packages.add(specifier);
    }
  };
  visit('src/codesearch/main.ts');
  expect(files.size).toBeGreaterThan(100);
  expect([...files]).not.toContain('src/codesearch/agent/agent.ts');
  expect([...packages].filter((name) => /^ai$|^@ai-sdk/.test(name))).toEqual([]);
  expect(readFileSync('src/codesearch/service.ts', 'utf8')).toContain("await import('./agent/agent.ts')");
});
