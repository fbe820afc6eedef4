import { describe, expect, it } from 'vitest';
import { readTemplates } from './template.ts';
import type { Value } from './template-functions.ts';
import { TemplateError } from './template-syntax.ts';

const write = (source: string, values: Value = {}): string =>
  readTemplates(new Map([['a.yaml', source]]))('a.yaml', values);

/** What Helm writes for these too, by the rules of Go's text/template and Sprig. */
describe('the renderer of the chart', () => {
  it.each<[string, Value, string]>([
    ['a {{- "b" -}} c', {}, 'abc'],
    ['a {{ "b" }} c', {}, 'a b c'],
    ['a\n{{- /* nothing */ -}}\nb', {}, 'ab'],
    ['{{ .a.b | quote }}', { a: { b: 'x"y' } }, '"x\\"y"'],
    ['{{ `raw` }}', {}, 'raw'],
    ['{{ if .a }}yes{{ else if .b }}b{{ else }}no{{ end }}', { a: '', b: true }, 'b'],
    ['{{ if .missing }}yes{{ else }}no{{ end }}', {}, 'no'],
    ['{{ with .a }}{{ .b }}{{ $.c }}{{ end }}', { a: { b: 'b' }, c: 'c' }, 'bc'],
    ['{{ with .a }}never{{ end }}', { a: {} }, ''],
    ['{{ range .a }}{{ . }},{{ end }}', { a: ['x', 'y'] }, 'x,y,'],
    ['{{ range $k, $v := .a }}{{ $k }}={{ $v }};{{ end }}', { a: { z: '1', b: '2' } }, 'b=2;z=1;'],
    ['{{ range $i, $v := .a }}{{ $i }}{{ $v }}{{ end }}', { a: ['x', 'y'] }, '0x1y'],
    ['{{ $x := "a" }}{{ if true }}{{ $x = "b" }}{{ end }}{{ $x }}', {}, 'b'],
    ['{{ $x := "a" }}{{ if true }}{{ $x := "b" }}{{ end }}{{ $x }}', {}, 'a'],
    ['{{ define "t" }}<{{ . }}>{{ end }}{{ include "t" .a | printf "%s%s" "!" }}', { a: 'x' }, '!<x>'],
    ['{{ or .a "b" }}{{ and true "c" }}', { a: '' }, 'bc'],
    ['{{ default "x" .a }}{{ default "x" .b }}', { a: 0, b: 'y' }, 'xy'],
    ['{{ int .a }} {{ add .a 5 }} {{ printf "%d" (int .a) }}', { a: 10 }, '10 15 10'],
    ['{{ if gt (int .a) 1 }}many{{ end }}', { a: 2 }, 'many'],
    ['a:{{ toYaml .a | nindent 2 }}', { a: { z: [1], b: true } }, 'a:\n  b: true\n  z:\n    - 1'],
    ['{{ "deepsearch-" | trunc 11 | trimSuffix "-" }}', {}, 'deepsearch'],
  ])('writes %s', (source, values, text) => {
    expect(write(source, values)).toBe(text);
  });

  it.each<[string, Value, string]>([
    ['{{ .a }}', {}, "nothing can't be written"],
    ['{{ .a }}', { a: [] }, "a list or a map can't be written"],
    ['{{ .a.b.c }}', { a: {} }, 'nothing has a field c here'],
    ['{{ .a }}', { a: 1_000_000 }, 'would be written with an exponent'],
    ['{{ if .a }}{{ end }}', { a: 0 }, 'a number of the values is used as a condition'],
    ['{{ eq .a 1 }}', { a: 1 }, "number and bigint can't be compared"],
    ['{{ nothing "a" }}', {}, 'the function nothing is not supported'],
    ['{{ include "t" . }}', {}, 't is not defined'],
    ['{{ $x }}', {}, '$x is not known'],
    ['{{ required "a is needed" .a }}', { a: '' }, 'a is needed'],
    ['{{ if .a }}', {}, 'an end is missing'],
    ['{{ end }}', {}, 'end without a beginning'],
    ['{{ define "t" }}{{ end }}{{ define "t" }}{{ end }}', {}, 't is defined twice'],
    ['{{ .a | }}', {}, 'a command is empty'],
    ['{{ (.a }}', {}, 'a bracket is not closed'],
    ['{{ a & b }}', {}, '"& b" is not supported'],
  ])('refuses %s', (source, values, problem) => {
    const attempt = (): string => write(source, values);
    expect(attempt).toThrow(TemplateError);
    expect(attempt).toThrow(problem);
  });

  it('says in which file and line a template fails', () => {
    expect(() => write('a\nb\n{{ .a.b.c }}', { a: {} })).toThrow(/^a\.yaml:3: /);
  });
});
