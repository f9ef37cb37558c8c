import { assert, describe, it } from "@effect/vitest"
import { markdownTable } from "../src/transports/docs/site/operation-page.ts"
import { assertGeneratedPart } from "./support/generated-page.ts"
import {
  ALLOWED_CASTS,
  DOMAIN_FAMILIES,
  FOREIGN_WRITES,
  findModule,
  hasParameterizedWrite,
  isFamily,
  listCasts,
  listImports,
  listWrittenTables,
  MODULES,
  readSource,
  SOURCE_FILES,
  TABLE_OWNERS,
  toMapPath
} from "./support/module-map.ts"

/** What one list has and the other has not, told apart. */
const sorted = (list: Iterable<string>): ReadonlyArray<string> => Array.from(new Set(list)).sort()

const edges = SOURCE_FILES.flatMap((file) =>
  listImports(file).map((path) => ({ from: findModule(file), to: findModule(path) }))
)

describe("the house", () => {
  it("has a place for every file", () => {
    const rows = MODULES.map(({ path: place }) => place)
    assert.deepStrictEqual(sorted(SOURCE_FILES.map((file) => toMapPath(findModule(file)))), sorted(rows))
  })

  for (const { path: place, imports } of MODULES) {
    it(`${place} imports what the page says, no more and no less`, () => {
      const actual = edges.filter(({ from, to }) => toMapPath(from) === place && toMapPath(to) !== place)
      assert.deepStrictEqual(sorted(actual.map(({ to }) => toMapPath(to))), sorted(imports))
    })
  }

  it("gives every tagged error its class name as its tag", () => {
    const declaration = /class (\w+) extends (?:Data|Schema)\.TaggedError[^("]*\((?:\)\()?"(\w+)"/g
    const mismatches = SOURCE_FILES.flatMap((file) =>
      Array.from(readSource(file).matchAll(declaration)).flatMap(([, name, tag]) =>
        name === tag ? [] : [`${file}: ${name} has the tag ${tag}`]
      )
    )
    assert.deepStrictEqual(mismatches, [])
  })

  it("is imported downwards only", () => {
    const rank = new Map(MODULES.map(({ path: place }, at) => [place, at]))
    const upward = MODULES.flatMap(({ path: place, imports }, at) =>
      imports.filter((each) => (rank.get(each) ?? -1) <= at).map((each) => `${place} imports ${each}`)
    )
    assert.deepStrictEqual(upward, [])
  })

  it("lets a family use another's rules and fragments where the page says so, and never its store", () => {
    const between = SOURCE_FILES.flatMap((file) =>
      listImports(file)
        .filter(
          (path) => isFamily(findModule(file)) && isFamily(findModule(path)) && findModule(path) !== findModule(file)
        )
        .map((path) => ({ file, path }))
    )
    assert.deepStrictEqual(
      sorted(between.map(({ file, path }) => `${familyOf(file)} → ${familyOf(path)}`)),
      sorted(Object.entries(DOMAIN_FAMILIES).flatMap(([family, used]) => used.map((each) => `${family} → ${each}`)))
    )
    assert.deepStrictEqual(
      between.filter(({ path }) => /store|handlers/.test(path)),
      []
    )
  })

  it("has no file that imports itself by way of others", () => {
    assert.deepStrictEqual(inCircles(SOURCE_FILES.map((file) => [file, listImports(file)])), [])
  })

  it("has no family that uses itself by way of others", () => {
    assert.deepStrictEqual(
      inCircles([
        ["a", ["b"]],
        ["b", ["c", "a"]],
        ["c", []]
      ]),
      ["a", "b"]
    )
    assert.deepStrictEqual(inCircles(Object.entries(DOMAIN_FAMILIES)), [])
  })
})

/** What leads to a circle or is in one. */
const inCircles = (uses: Iterable<readonly [string, ReadonlyArray<string>]>): ReadonlyArray<string> => {
  const left = new Map(uses)
  // What uses nothing that is left can be in no circle: taken away again and again, nothing remains.
  while (true) {
    const ends = Array.from(left).filter(([, used]) => !used.some((each) => left.has(each)))
    if (ends.length === 0) return Array.from(left.keys())
    for (const [each] of ends) left.delete(each)
  }
}

const familyOf = (file: string): string => findModule(file).replace("domain/", "")

describe("a table", () => {
  const writes = SOURCE_FILES.flatMap((file) => listWrittenTables(file).map((table) => ({ file, table })))

  it("has an owner", () => {
    assert.deepStrictEqual(
      sorted(writes.map(({ table }) => table)),
      sorted(Object.keys(TABLE_OWNERS)),
      "each table that a statement of src writes, and no other, has its owner in OWNERS of test/support/module-map.ts"
    )
  })

  it("is named by the statement that writes it, or by the list whose rows are replaced, or by its declaration as a table of jobs, or by who fills all tables, seals all secrets anew or fills keys of names", () => {
    assert.deepStrictEqual(sorted(SOURCE_FILES.filter(hasParameterizedWrite)), [
      "domain/name-key-backfill.ts",
      "jobs/job-queue.ts",
      "platform/database/versioned-list.ts",
      "platform/sealing/secret-rotation.ts",
      "tools/backup/backup-loader.ts"
    ])
    assert.sameMembers(
      [...listWrittenTables("domain/work/staffs/store.ts")],
      [...Array(3).fill("staffs"), "staff_properties"]
    )
  })

  it("is written by its owner alone, but for a list that may only become shorter", () => {
    const elsewhere = writes.filter(({ file, table }) => !file.startsWith(TABLE_OWNERS[table] ?? "nobody"))
    assert.deepStrictEqual(
      sorted(elsewhere.map(({ file, table }) => `${file} writes ${table}`)),
      sorted(FOREIGN_WRITES)
    )
    assert.isAtMost(FOREIGN_WRITES.length, MOST_WRITTEN_ELSEWHERE)
  })
})

/** To be lowered with every exception that goes, and never raised. */
const MOST_WRITTEN_ELSEWHERE = 5

// Within a trace that nobody records, the library's own spans have no ids: a log line in one would name none.
const ON_THE_WAY = [
  "service/service.ts",
  "transports",
  "domain/<family>",
  "domain/webhooks/deliveries",
  "admission",
  "changes",
  "jobs/events"
]

it("what a call passes opens spans where somebody reads them, and nowhere else (platform/telemetry/spans.ts)", () => {
  const opening = SOURCE_FILES.filter(
    (file) =>
      ON_THE_WAY.some((path) => file.startsWith(path) || toMapPath(findModule(file)) === path) &&
      /Effect\.(withSpan|useSpan|fn)\(/.test(readSource(file))
  )
  assert.deepStrictEqual(opening, [])
})

it("casts are those the page gives a reason for", () => {
  assert.deepStrictEqual(
    sorted(SOURCE_FILES.flatMap((file) => listCasts(file).map((cast) => `${file}: ${cast}`))),
    sorted(ALLOWED_CASTS.map(({ file, cast }) => `${file}: ${cast}`))
  )
})

it("docs/contribute/architecture.md lists the places (write it with UPDATE_DOCS=1)", () => {
  const rows = MODULES.map(({ path: place, purpose }) => [`\`${place}\``, purpose])
  assertGeneratedPart("contribute/architecture.md", "places", markdownTable(["place in `src`", "what it is"], rows))
})
