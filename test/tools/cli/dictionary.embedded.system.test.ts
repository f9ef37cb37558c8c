import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { loadAuditLinesWithActor } from "../../support/changes/audit-lines.ts"
import { createOperator } from "../../support/harness.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const Entry = Schema.Struct({
  dictionary: Schema.String,
  id: Schema.Int,
  name: Schema.String,
  built_in: Schema.Boolean,
  renamed_from: Schema.NullOr(Schema.String),
  retired: Schema.Boolean
})
const readEntry = Schema.decodeUnknownEffect(Schema.fromJsonString(Entry))

/** What `latchkey dictionary …` does with the dictionaries of one operator. */
const ofOperator = (operatorId: number) => {
  const plain = (what: string, ...args: ReadonlyArray<string>) =>
    runBesideService(["dictionary", what, "--operator", `${operatorId}`, ...args])
  const entry = (what: string, ...args: ReadonlyArray<string>) =>
    Effect.flatMap(plain(what, ...args, "--json"), ({ stdout }) => readEntry(stdout))
  return { plain, entry }
}

layer(layerRunningService, { excludeTestServices: true })("latchkey dictionary", (it) => {
  it.effect("adds, renames, retires and restores entries, and says how each is then", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const { plain, entry } = ofOperator(operatorId)
      const added = yield* entry("add", "--dictionary", "income_items", "--name", "Airport transfer")
      const { id } = added
      assert.deepStrictEqual(added, {
        ...{ dictionary: "income_items", id, name: "Airport transfer", built_in: false },
        ...{ renamed_from: null, retired: false }
      })
      const own = ["--dictionary", "income_items", "--id", `${id}`]
      assert.deepInclude(yield* entry("rename", ...own, "--name", "Taxi"), { name: "Taxi", renamed_from: null })
      assert.deepInclude(yield* entry("retire", ...own), { name: "Taxi", retired: true })
      const laundry = ["--dictionary", "expense_items", "--id", "52"]
      const renamed = yield* plain("rename", ...laundry, "--name", 'Linen "best" service')
      assert.strictEqual(renamed.stdout, 'expense_items: 52  "Linen \\"best\\" service"  renamed from "Laundry"\n')
      const listed = yield* plain("list")
      assert.match(listed.stdout, /^income_items:\n {2}11 {2}"Room fee"\n/)
      assert.include(listed.stdout, `\n  ${id}  "Taxi"  own  retired\n`)
      assert.include(listed.stdout, '"Linen \\"best\\" service"  renamed from "Laundry"\n')
      assert.deepInclude(yield* entry("restore", ...own), { retired: false })
      const { expense_items, ...others } = JSON.parse(
        (yield* plain("list", "--dictionary", "expense_items", "--json")).stdout
      )
      assert.deepStrictEqual(others, {})
      assert.deepInclude(expense_items, {
        ...{ id: 52, name: 'Linen "best" service', built_in: true, renamed_from: "Laundry", retired: false }
      })
      assert.hasAllKeys(JSON.parse((yield* plain("list", "--json")).stdout), [
        ...["income_items", "expense_items", "income_methods", "expense_methods"]
      ])
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operatorId), [
        `command line: dictionary add dictionary:income_items:${id}`,
        `command line: dictionary rename dictionary:income_items:${id} (name)`,
        `command line: dictionary retire dictionary:income_items:${id} (retired_at)`,
        "command line: dictionary rename dictionary:expense_items:52 (name)",
        `command line: dictionary restore dictionary:income_items:${id} (retired_at)`
      ])
    })
  )

  it.effect("says what it cannot do, and changes nothing", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const { plain } = ofOperator(operatorId)
      const items = ["--dictionary", "income_items"]
      for (const [args, says] of [
        [["retire", ...items, "--id", "11"], /--id: .* cannot be retired/],
        [["retire", ...items, "--id", "52"], /--id: there is no such entry in income_items\./],
        [["rename", ...items, "--id", "12", "--name", " "], /name: must not be empty/],
        [["rename", ...items, "--id", "12", "--name", "Pet fee"], /name: is already used/],
        [["add", ...items, "--name", "Pet fee"], /name: is already used/],
        [["add", ...items], /--name/],
        [["add", "--name", "X"], /--dictionary/],
        [["retire", ...items], /--id/],
        [["list", "--dictionary", "money"], /money/]
      ] as const) {
        const [what, ...flags] = args
        const { code, stderr } = yield* plain(what, ...flags)
        assert.strictEqual(code, 1)
        assert.match(stderr, says)
      }
      const nobody = ofOperator(999999)
      for (const args of [["list"], ["restore", ...items, "--id", "12"]] as const) {
        const [what, ...flags] = args
        assert.match((yield* nobody.plain(what, ...flags)).stderr, /\boperator 999999\b/)
      }
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operatorId), [])
    })
  )
})
