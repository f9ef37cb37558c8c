import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Predicate } from "effect"
import { operations } from "../../../src/Api.ts"
import { Acting, byItself } from "../../../src/contract/acting.ts"
import { seedDemo } from "../../../src/demo/seed.ts"
import type { Example } from "../../../src/documents/examples.ts"
import { Codes } from "../../../src/oauth/Codes.ts"
import { Partners } from "../../../src/oauth/Partners.ts"
import { Service } from "../../../src/service.ts"
import { layerStarted } from "../../demo/started.ts"
import { misfitOf } from "../openapi/answers.ts"
import { storyOf, TODAY } from "./story.ts"

/** Written by `npm run examples`. */
const FILE = join(import.meta.dirname, "../../../src/documents/examples.json")

/** The first call of each operation within, and what it was answered. */
const noting = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const noted = new Map<string, Example>()
    const service = yield* Service
    const call: Service["Service"]["call"] = (name, asked) =>
      Effect.gen(function* () {
        const answer = yield* service.call(name, asked)
        const { fields } = yield* Effect.orDie(asked.read)
        const request = Predicate.isObject(fields) ? { ...fields } : {}
        if (!noted.has(name)) noted.set(name, { request, answer: answer.envelope })
        return answer
      })
    yield* Effect.provideService(work, Service, Service.of({ ...service, call }))
    return noted
  })

/** Every place of a value that has one, with the type of what is there: codes and times differ from run to run, these do not. */
const placesIn = (value: unknown, path = ""): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((each) => placesIn(each, `${path}[]`))
  if (!Predicate.isObject(value)) return [`${path} ${value === null ? "null" : typeof value}`]
  return Object.entries(value).flatMap(([name, each]) => placesIn(each, `${path}.${name}`))
}

const outlineOf = (examples: Readonly<Record<string, Example>>): unknown =>
  Object.fromEntries(
    Object.entries(examples).map(([name, each]) => [name, Array.from(new Set(placesIn(each))).toSorted()])
  )

const layerAccess = Layer.mergeAll(Codes.layer, Partners.layer).pipe(
  Layer.provideMerge(Layer.succeed(Acting, byItself("examples", "examples")))
)

layer(Layer.provideMerge(layerAccess, layerStarted(`${TODAY}T10:00:00Z`)), { excludeTestServices: true })(
  "the examples of the documents",
  (it) => {
    it.effect("are what the demo operator is answered (write them with npm run examples)", () =>
      Effect.gen(function* () {
        const noted = yield* noting(Effect.flatMap(seedDemo, storyOf))
        const told = Object.fromEntries(operations.flatMap(({ _tag }) => [[_tag, noted.get(_tag)]]))
        if (process.env["UPDATE_DOCS"] === "1") writeFileSync(FILE, `${JSON.stringify(told, null, 2)}\n`)
        const written = JSON.parse(readFileSync(FILE, "utf8"))
        assert.deepStrictEqual(
          Object.keys(written),
          operations.map(({ _tag }) => _tag)
        )
        assert.deepStrictEqual(outlineOf(written), outlineOf(JSON.parse(JSON.stringify(told))))
      })
    )

    it("succeed, and are what their schemas say", () => {
      for (const [name, { answer }] of Object.entries<Example>(JSON.parse(readFileSync(FILE, "utf8")))) {
        assert.strictEqual(Object(answer)["error_code"], 0, name)
        assert.isUndefined(misfitOf(name, answer, false), name)
      }
    })
  }
)
