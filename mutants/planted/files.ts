import type { FilesPort } from "../../contract/port.ts";
import type { Mutant } from "../mutant.ts";

const withFiles =
  (change: (honest: FilesPort) => Partial<FilesPort>): NonNullable<Mutant["plant"]> =>
  (honest) =>
    honest.files === undefined ? honest : { ...honest, files: { ...honest.files, ...change(honest.files) } };

async function* asText(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) yield Buffer.from(Buffer.from(chunk).toString("utf8"), "utf8");
}

/** A text conversion of binary content grows it: the count of the reply is kept as asked, as a careless client does. */
async function* counted(
  content: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    count(chunk.byteLength);
    yield chunk;
  }
}

export const filesMutants: readonly Mutant[] = [
  {
    id: "files-as-text",
    fault: "uploads are decoded and encoded as text",
    expected: ["files.round-trip"],
    also: [],
    faultRows: ["FS-01"],
    plant: withFiles((honest) => ({
      write: async (params, content, call) => {
        let bytes = 0;
        await honest.write(params, asText(counted(content, (n) => (bytes += n))), call);
        return { bytes };
      },
    })),
  },
  {
    id: "files-cut-at-8-mib",
    fault: "uploads end at 8 MiB",
    expected: ["files.round-trip"],
    also: [],
    faultRows: ["FS-03", "FS-04"],
    plant: withFiles((honest) => ({
      write: async (params, content, call) => {
        let bytes = 0;
        await honest.write(
          params,
          cutAt(
            8 * 1024 * 1024,
            counted(content, (n) => (bytes += n)),
          ),
          call,
        );
        return { bytes };
      },
    })),
  },
  {
    id: "files-read-from-cache",
    fault: "a read gives what was last written by the API while the length is the same",
    expected: ["files.visible-both-ways"],
    also: [],
    faultRows: [],
    plant: withFiles((honest) => {
      const cache = new Map<string, Buffer>();
      return {
        write: async (params, content, call) => {
          const kept: Uint8Array[] = [];
          const keep = async function* () {
            for await (const chunk of content) {
              kept.push(Buffer.from(chunk));
              yield chunk;
            }
          };
          const done = await honest.write(params, keep(), call);
          cache.set(params.path, Buffer.concat(kept));
          return done;
        },
        read: async (params, output, call) => {
          const cached = cache.get(params.path);
          const { size } = await honest.stat(params, call);
          if (cached?.byteLength !== size) return honest.read(params, output, call);
          await output(cached);
          return { bytes: size };
        },
      };
    }),
  },
];

async function* cutAt(limit: number, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = limit;
  for await (const chunk of content) {
    const part = chunk.subarray(0, left);
    left -= part.byteLength;
    if (part.byteLength > 0) yield part;
  }
}
