/** The words around durations, by language; `span` is a written duration such as "41 s". */
const durationWords = {
  en: {
    lessThan: (span: string) => `less than ${span}`,
    upTo: (span: string) => `up to ${span}`,
    range: (from: string, to: string) => `${from} to ${to}`,
  },
  de: {
    lessThan: (span: string) => `weniger als ${span}`,
    upTo: (span: string) => `bis zu ${span}`,
    range: (from: string, to: string) => `${from} bis ${to}`,
  },
};

/** The languages the app speaks. */
type Language = keyof typeof durationWords;

export const languages = Object.keys(durationWords) as Language[];

/** How to write numbers, times and lists in one locale. */
export interface Formats {
  language: Language;
  /** The BCP 47 tag in use: the requested one, or the nearest known one. */
  locale: string;
  number(value: number): string;
  /** "1 step", "12 steps". */
  count(value: number, words: { one: string; other: string }): string;
  /** "41 s", "2 min 5 s", "1 h 3 min". Below a second "less than 1 s". */
  duration(durationMs: number): string;
  /** "20 to 60 s", "1 min 10 s to 2 min". */
  durationRange(fromMs: number, toMs: number): string;
  /** A share between 0 and 1 as whole percent, rounded down: "80%", in German "80 %". */
  share(share: number): string;
  /** "a, b and c". */
  list(items: readonly string[]): string;
}

const DEFAULT_LOCALE = 'en';
const DIGITS = { maximumFractionDigits: 2 };
const WHOLE_PERCENT = { style: 'percent', maximumFractionDigits: 0, roundingMode: 'floor' } as const;

const formatsByLocale = new Map<string, Formats>();

/**
 * Creates the formats for a locale in Slack's form (`de-DE`). Words and numbers use the same language: a locale whose
 * language the app does not speak, or an invalid one, becomes English.
 */
export function createFormats(locale: string | undefined): Formats {
  const spoken = spokenLocale(locale);
  const known = formatsByLocale.get(spoken);
  if (known !== undefined) return known;
  const formats = formatsOf(spoken);
  formatsByLocale.set(spoken, formats);
  return formats;
}

/** Returns a locale that the runtime has data for, which bounds the number of different locales. */
function spokenLocale(locale: string | undefined): string {
  try {
    const { language, baseName } = new Intl.Locale(locale ?? DEFAULT_LOCALE);
    if (!isSpoken(language)) return DEFAULT_LOCALE;
    const { locale: spoken } = new Intl.NumberFormat(baseName).resolvedOptions();
    // A runtime without data for the language uses its own default.
    return languageOf(spoken) === language ? spoken : DEFAULT_LOCALE;
  } catch {
    return DEFAULT_LOCALE;
  }
}

function languageOf(locale: string): string {
  return new Intl.Locale(locale).language;
}

function isSpoken(language: string): language is Language {
  return Object.hasOwn(durationWords, language);
}

function formatsOf(locale: string): Formats {
  const primary = languageOf(locale);
  const language = isSpoken(primary) ? primary : DEFAULT_LOCALE;
  const words = durationWords[language];
  const numbers = new Intl.NumberFormat(locale, DIGITS);
  const shares = new Intl.NumberFormat(locale, WHOLE_PERCENT);
  const plurals = new Intl.PluralRules(locale, DIGITS);
  const lists = new Intl.ListFormat(locale);

  const number = (value: number): string => numbers.format(value);

  function span(seconds: number): string {
    if (seconds < 60) return `${number(seconds)} s`;
    const minutes = Math.floor(seconds / 60);
    if (minutes < 60) return units(minutes, 'min', seconds % 60, 's');
    return units(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  }

  function units(large: number, largeUnit: string, small: number, smallUnit: string): string {
    const first = `${number(large)} ${largeUnit}`;
    return small === 0 ? first : `${first} ${number(small)} ${smallUnit}`;
  }

  function duration(durationMs: number): string {
    const seconds = wholeSeconds(durationMs);
    return seconds < 1 ? words.lessThan(span(1)) : span(seconds);
  }

  function durationRange(fromMs: number, toMs: number): string {
    const from = wholeSeconds(fromMs);
    const to = wholeSeconds(toMs);
    if (to <= from) return duration(toMs);
    if (from < 1) return words.upTo(span(to));
    // Write the unit once if both ends have the same.
    if (to <= 60) return words.range(number(from), `${number(to)} s`);
    if (from % 60 === 0 && to % 60 === 0 && to < 3600) return words.range(number(from / 60), span(to));
    return words.range(span(from), span(to));
  }

  return {
    language,
    locale,
    number,
    count: (value, { one, other }) => `${number(value)} ${plurals.select(value) === 'one' ? one : other}`,
    duration,
    durationRange,
    share: (share) => shares.format(share),
    list: (items) => lists.format(items),
  };
}

function wholeSeconds(durationMs: number): number {
  return Math.round(durationMs / 1000);
}
