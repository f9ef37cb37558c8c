import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Layer, Predicate } from "effect"
import { CurrentActor, systemActor } from "../../../../src/contract/actor.ts"
import { AuthorizationCodes } from "../../../../src/domain/access/oauth/AuthorizationCodes.ts"
import { Partners } from "../../../../src/domain/access/oauth/Partners.ts"
import { Deployment } from "../../../../src/platform/installation.ts"
import { operations } from "../../../../src/service/Api.ts"
import { Service } from "../../../../src/service/service.ts"
import { seedDemo } from "../../../../src/tools/demo/seed.ts"
import { describeOperations } from "../../../../src/transports/docs/operation-descriptions.ts"
import type { OperationExample } from "../../../../src/transports/docs/operation-examples.ts"
import { layerStartedService } from "../../../support/tools/demo/started-service.ts"
import { runExampleStory, TODAY } from "../../../support/transports/docs/examples/example-story.ts"
import { findSchemaViolation } from "../../../support/transports/docs/openapi/response-validation.ts"

/** Written by `npm run examples`. */
const FILE = join(import.meta.dirname, "../../../../src/transports/docs/examples.json")

/** The first call of each operation within, and what it was answered. */
const noting = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const noted = new Map<string, OperationExample>()
    const service = yield* Service
    const call: Service["Service"]["call"] = (name, asked) =>
      Effect.gen(function* () {
        const answer = yield* service.call(name, asked)
        const { fields } = yield* Effect.orDie(Effect.flatMap(asked.receive, ({ parse }) => parse))
        const request = Predicate.isObject(fields) ? { ...fields } : {}
        if (!noted.has(name)) noted.set(name, { request, answer: answer.envelope })
        return answer
      })
    yield* Effect.provideService(work, Service, Service.of({ ...service, call }))
    return noted
  })

type Noted = Readonly<Record<string, OperationExample>>
type Examples = { readonly international: Noted; readonly regional: Noted }

/** Every place of a value that has one, with the type of what is there: codes and times differ from run to run, these do not. */
const placesIn = (value: unknown, path = ""): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((each) => placesIn(each, `${path}[]`))
  if (!Predicate.isObject(value)) return [`${path} ${value === null ? "null" : typeof value}`]
  return Object.entries(value).flatMap(([name, each]) => placesIn(each, `${path}.${name}`))
}

const outlineOf = (examples: Noted): unknown =>
  Object.fromEntries(
    Object.entries(examples).map(([name, each]) => [name, Array.from(new Set(placesIn(each))).toSorted()])
  )

const layerAccess = Layer.mergeAll(AuthorizationCodes.layer, Partners.layer).pipe(
  Layer.provideMerge(Layer.succeed(CurrentActor, systemActor("examples", "examples")))
)

const written = (): Examples => JSON.parse(readFileSync(FILE, "utf8"))

const namesOf = (examples: Noted): ReadonlyArray<string> => Object.keys(examples)

/** Of what the regional deployment takes or answers otherwise. */
const REGIONAL = ["query_custom_channels", "create_staff"]

const noticed = Effect.gen(function* () {
  const noted = yield* noting(Effect.flatMap(seedDemo, runExampleStory))
  return (names: ReadonlyArray<string>): Noted =>
    Object.fromEntries(Array.from(noted).filter(([name]) => names.includes(name)))
})

const EVERY = operations.map(({ _tag }) => _tag)

/** Kept in the order of the contracts, as JSON has it. */
const kept = (deployment: keyof Examples, noted: Noted): Noted => {
  const ordered: Noted = JSON.parse(
    JSON.stringify(Object.fromEntries(EVERY.flatMap((name) => (name in noted ? [[name, noted[name]]] : []))))
  )
  if (process.env["UPDATE_DOCS"] === "1") {
    const all = existsSync(FILE) ? written() : { international: {}, regional: {} }
    writeFileSync(FILE, `${JSON.stringify({ ...all, [deployment]: ordered }, null, 2)}\n`)
  }
  return ordered
}

for (const [deployment, names] of [
  ["international", EVERY],
  ["regional", REGIONAL]
] as const) {
  const layerHere = Layer.provideMerge(
    layerAccess,
    Layer.provideMerge(layerStartedService(`${TODAY}T10:00:00Z`), Layer.succeed(Deployment, deployment))
  )
  layer(layerHere, { excludeTestServices: true })(`the examples of the ${deployment} deployment`, (it) => {
    it.effect("are what the demo operator is answered (write them with npm run examples)", () =>
      Effect.gen(function* () {
        const told = kept(deployment, (yield* noticed)(names))
        const shown = written()[deployment]
        assert.deepStrictEqual(
          namesOf(shown),
          EVERY.filter((name) => names.includes(name))
        )
        assert.deepStrictEqual(outlineOf(shown), outlineOf(told))
      })
    )

    it("send what the tools are listed to take", () => {
      const ajv = new Ajv2020({ strict: false, validateFormats: false })
      for (const { name, tool, inputSchema: input } of describeOperations(deployment)) {
        const { request } = written()[deployment][name] ?? {}
        if (tool !== undefined && request !== undefined)
          assert.isTrue(ajv.validate(input, request), `${name}: ${ajv.errorsText()}`)
      }
    })

    it("succeed, and are what their schemas say", () => {
      for (const [name, { answer }] of Object.entries(written()[deployment])) {
        assert.strictEqual(Object(answer)["error_code"], 0, name)
        assert.isUndefined(findSchemaViolation(name, answer, false), name)
      }
    })
  })
}
