/** Which folder may import which: the arrows of the layout, and what breaks them. */
import { posix } from "node:path";

interface Rule {
  /** The files that the rule is about; the first rule that fits counts. */
  readonly of: RegExp;
  readonly may: readonly string[];
  /** Folders of which only types may be imported. */
  readonly mayType?: readonly string[];
  readonly mayNot?: RegExp;
  /** Words that the code must not hold: what no import tells. */
  readonly mayNotSay?: RegExp;
}

const ALL = ["*"];

/** Everything may import schemas, the one source of message shapes (docs/adr/0001). */
const RULES: readonly Rule[] = [
  { of: /^schemas\//, may: ["schemas"] },
  { of: /^contract\//, may: ["contract", "schemas"] },
  { of: /^redaction\//, may: ["redaction", "schemas"] },
  { of: /^stats\//, may: ["stats", "schemas"] },
  { of: /^wire\//, may: ["wire", "contract", "redaction", "schemas"] },
  { of: /^history\//, may: ["history", "contract", "redaction", "schemas"] },
  { of: /^engine\//, may: ["engine", "contract", "history", "wire", "redaction", "schemas"] },
  // Judges are pure: no provider, engine, clock, chance, locale or file system, so that the same record gives the same bytes.
  {
    of: /^suites\/.*judge/,
    may: ["suites", "contract", "history", "stats", "schemas"],
    mayNot: /^node:|\/scenarios\/|^history\/(journal|writer)/,
    mayNotSay: /\b(Date|performance|startClock|process\.\w+|Math\.random|Intl|locale\w+|toLocale\w+)\b/,
  },
  { of: /^suites\//, may: ["suites", "contract", "history", "stats", "schemas"], mayType: ["engine"] },
  { of: /^witness\//, may: ["witness", "contract", "history", "redaction", "schemas"] },
  { of: /^analysis\//, may: ["analysis", "contract", "history", "suites", "stats", "schemas"] },
  { of: /^providers\//, may: ["providers", "contract", "schemas"] },
  { of: /^mutants\//, may: ["mutants", "contract", "wire", "providers", "schemas"] },
  { of: /^reports\//, may: ["reports", "contract", "history", "redaction", "stats", "schemas"] },
  { of: /^evidence\//, may: ["evidence", "contract", "history", "redaction", "analysis", "reports", "schemas"] },
  // An example shows what a reader can do: nothing but the public entry.
  { of: /^examples\//, may: ["examples", "index.ts"] },
  { of: /^(cli|bench|scripts|test|bin)\//, may: ALL },
  { of: /^[^/]+$/, may: ALL },
];

interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
}

const withoutComments = (source: string): string =>
  source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");

/** `import … from "x"`, `export … from "x"`, `import "x"` and `import("x")`. */
export function importsOf(source: string): readonly Import[] {
  const code = withoutComments(source);
  const statements = code.matchAll(/^\s*(?:import|export)\s+(type\s)?(?:[\w*{][^;"']*?\sfrom\s+)?["']([^"']+)["']/gm);
  const calls = code.matchAll(/\bimport\(\s*["']([^"']+)["']/g);
  return [
    ...[...statements].map(([, type, specifier]) => ({ specifier: specifier ?? "", typeOnly: type !== undefined })),
    ...[...calls].map(([, specifier]) => ({ specifier: specifier ?? "", typeOnly: false })),
  ];
}

/** A provider uses another one only through its public index. */
function crossesProvider(file: string, target: string): boolean {
  const [, own] = file.split("/");
  const [, other] = target.split("/");
  return target.startsWith("providers/") && own !== other && !target.endsWith("/index.ts");
}

/** One sentence for each import or word of `file` that the rules do not allow. */
export function violations(file: string, source: string): readonly string[] {
  const rule = RULES.find(({ of }) => of.test(file));
  if (rule === undefined) return [`${file}: no rule names its folder`];
  const said = rule.mayNotSay?.exec(withoutComments(source));
  const words = said ? [`${file}: must not use ${said[0]}`] : [];
  const imports = importsOf(source).flatMap(({ specifier, typeOnly }) => {
    const relative = specifier.startsWith(".");
    const target = relative ? posix.normalize(posix.join(posix.dirname(file), specifier)) : specifier;
    if (rule.mayNot?.test(target) && !typeOnly) return [`${file}: must not import ${target}`];
    if (!relative || rule.may === ALL) return [];
    const folder = target.split("/")[0] ?? "";
    const allowed = rule.may.includes(folder) || (typeOnly && rule.mayType?.includes(folder) === true);
    if (!allowed) return [`${file}: must not import ${target}`];
    if (file.startsWith("providers/") && crossesProvider(file, target)) return [`${file}: ${target} is not public`];
    return [];
  });
  return [...words, ...imports];
}
