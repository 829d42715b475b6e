import { expect, test } from "vitest";
import { ROOT, readTree, treeFiles } from "./files.ts";

const MARKER = new RegExp(`\\b(${["TO-DO", "FIX-ME", "XX-X", "HA-CK"].join("|").replaceAll("-", "")})\\b`);
const texts = treeFiles("**/*.{ts,js,json,md,sh,pl,py}").filter((path) => path !== "package-lock.json");

test("no file holds a marker of unfinished work", () => {
  expect(texts.filter((path) => MARKER.test(readTree(path)))).toEqual([]);
});

test("no file holds the path of the machine it was written on", () => {
  expect(texts.filter((path) => readTree(path).includes(ROOT))).toEqual([]);
});
