import { randomUUID } from "node:crypto"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { runLatchkey } from "../../../../src/tools/cli/program.ts"
import { describeOperations } from "../../../../src/transports/docs/operation-descriptions.ts"
import { findExample } from "../../../../src/transports/docs/operation-examples.ts"
import { toCurlCommand } from "../../../../src/transports/docs/site/code-examples.ts"
import { FirstStart } from "../../../support/first-start.ts"
import { REQUESTS_MS } from "../../../support/time-limits.ts"
import { makeEmptyFolder, runLatchkeyProcess } from "../../../support/tools/cli/latchkey-process.ts"
import { DOCS_FOLDER, readCodeBlocks } from "../../../support/transports/docs/site/code-blocks.ts"
import { listErrorCodes, runCommand } from "../../../support/transports/docs/site/command-process.ts"
import { moveDatesToToday } from "../../../support/transports/docs/site/example-dates.ts"

// What the other pages show in boxes: a call is one that the service can read, a command is one that there is.

/** Their code is for the checkout, or for a machine on which the bench runs. */
const NOT_FOR_CALLERS = /^(?:adr|contribute|reports)\//

const files = readdirSync(DOCS_FOLDER, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".md") && !NOT_FOR_CALLERS.test(name)
)

/** What its boxes do is done to a machine, as root: they are tried on one of their own. */
const FOR_A_MACHINE = "operate/"

/** Pages whose blocks build on each other: guides.system.test.ts and test-server.embedded.system.test.ts run them whole. */
const IS_TESTED_WHOLE = /^quickstarts\/|^reference\/errors\.md$|^guides\/test-your-integration\.md$/

const boxes = files
  .filter((file) => !file.startsWith(FOR_A_MACHINE) && !IS_TESTED_WHOLE.test(file))
  .flatMap((file) =>
    readCodeBlocks(file)
      .filter(({ language }) => language === "sh")
      .map(({ text }) => ({ file, text }))
  )

/** Calls that name records of the reader's own are answered as of what is not there; none is ever what cannot be read. */
const READ = [0, 401, 404, 409]

const COMMAND = /^(?:\$ )?(?:npx )?latchkey ([a-z-].*)$/gm

/** Read, and refused for how things stand: at an order that the examples have cancelled before, or an action whose hour has not come. */
const OTHERWISE: Readonly<Record<string, ReadonlyArray<number>>> = {
  allocate_stay: [422],
  approve_check_in: [422],
  move_stay_to_box: [422],
  update_stay_status: [422],
  execute_automation_action: [...READ, 400]
}

/** The words of a command up to its first value, and the flags that it names. */
const partsOf = (line: string) => {
  const words = line.replace(/#.*$/, "").trim().split(/\s+/)
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word))
  const flags = Array.from(line.matchAll(/--([a-z-]+)/g), ([flag]) => flag)
  return { command: end === -1 ? words : words.slice(0, end), flags }
}

/** Where the feed goes on. */
const newestCursor = Effect.flatMap(FirstStart, ({ baseUrl: base, token }) =>
  Effect.promise(async () => {
    const response = await fetch(`${base}/v3/events?limit=1`, { headers: { "service-access-token": token } })
    const { data } = Object(await response.json())
    return String(Object(data).next_cursor)
  })
)

layer(FirstStart.layer, { excludeTestServices: true })("the boxes of the pages", (it) => {
  for (const { file, text } of boxes.filter((box) => /^curl /m.test(box.text))) {
    it.effect(`${file}: ${text.slice(0, 60).split("\n")[0]}…`, () =>
      Effect.gen(function* () {
        const { baseUrl: base, token } = yield* FirstStart
        const script = moveDatesToToday(text.replaceAll("http://127.0.0.1:8080", base))
        const env = { TOKEN: token, URL: base, PUBLIC_URL: base, CURSOR: yield* newestCursor }
        const { code, stdout, stderr } = yield* runCommand(["bash", "-eu", "-c", script], env)
        assert.strictEqual(code, 0, stderr)
        assert.isNotEmpty(listErrorCodes(stdout), stdout)
        for (const each of listErrorCodes(stdout)) assert.include(READ, each, stdout)
      })
    )
  }

  it.effect("hosts/automation.md shows a rule that is taken, of flats that there are", () =>
    Effect.gen(function* () {
      const { env } = yield* FirstStart
      const [rule] = readCodeBlocks("hosts/automation.md").filter(({ language }) => language === "json")
      const path = join(yield* makeEmptyFolder, "rule.json")
      writeFileSync(path, (rule?.text ?? "").replace("[12, 13]", "[1, 2]"))
      const { code, stdout, stderr } = yield* runLatchkeyProcess(
        ["automation", "create", "--operator", "1", "--file", path, "--json"],
        env
      )
      assert.strictEqual(code, 0, stderr)
      assert.isNumber(JSON.parse(stdout).rule_id)
    })
  )

  it.effect("hosts/knowledge-base.md shows an entry that is taken, of a flat that there is", () =>
    Effect.gen(function* () {
      const { baseUrl: base, token } = yield* FirstStart
      const [box] = readCodeBlocks("hosts/knowledge-base.md").filter(({ language }) => language === "http")
      const [, path, body = ""] = /^POST (\S+)\n\n([\s\S]+)$/.exec(box?.text ?? "") ?? []
      const script = `curl "${base}${path}" -H "Service-Access-Token: $TOKEN" -H "Content-Type: application/json" -d @-`
      const sent = body.replace("40117", "1").replaceAll("'", "'\\''")
      const { stdout } = yield* runCommand(["bash", "-eu", "-c", `echo '${sent}' | ${script}`], { TOKEN: token })
      assert.deepStrictEqual(listErrorCodes(stdout), [0], stdout)
    })
  )

  it.effect(
    "every page of an operation shows a call that the service can read",
    () =>
      Effect.gen(function* () {
        const { baseUrl: base, token } = yield* FirstStart
        const wrong: Array<string> = []
        for (const operation of describeOperations()) {
          const { request } = findExample(operation.name) ?? {}
          if (request === undefined) return assert.fail(operation.name)
          const script = moveDatesToToday(toCurlCommand(operation, request, base))
          const { stdout } = yield* runCommand(["bash", "-eu", "-c", script], { TOKEN: token, KEY: randomUUID() })
          const [code = -1] = listErrorCodes(stdout)
          const well = OTHERWISE[operation.name] ?? READ
          if (!well.includes(code)) wrong.push(`${operation.name}: ${stdout}`)
        }
        assert.deepStrictEqual(wrong, [])
      }),
    REQUESTS_MS
  )
})

const helpOf = (command: string) =>
  Effect.gen(function* () {
    yield* runLatchkey([...command.split(" "), "--help"])
    return (yield* TestConsole.logLines).map(String).join("\n")
  }).pipe(Effect.provide(TestConsole.layer))

it.effect("every command that a page shows is there, with the flags that it shows", () =>
  Effect.gen(function* () {
    const shown = files.flatMap((file) =>
      readCodeBlocks(file).flatMap(({ text }) => Array.from(text.matchAll(COMMAND), ([, line = ""]) => partsOf(line)))
    )
    const flagsOf = new Map<string, Set<string>>()
    for (const { command, flags } of shown) {
      const known = flagsOf.get(command.join(" ")) ?? new Set()
      flagsOf.set(command.join(" "), new Set([...known, ...flags]))
    }
    assert.isAtLeast(flagsOf.size, 20)
    for (const [command, flags] of flagsOf) {
      const help = yield* helpOf(command)
      assert.include(help, `latchkey ${command}`)
      for (const flag of flags) assert.include(`${help} --json`, flag, command)
      // A group answers with what is in it: the page must name a command.
      assert.notInclude(help, "SUBCOMMANDS", command)
    }
  })
)
