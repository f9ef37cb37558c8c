import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { giveConsent } from "../../../support/domain/access/oauth/oauth-service.ts"
import { FirstStart } from "../../../support/first-start.ts"
import { REQUESTS_MS } from "../../../support/time-limits.ts"
import { findFreePort, makeEmptyFolder } from "../../../support/tools/cli/latchkey-process.ts"
import { readCodeBlocks } from "../../../support/transports/docs/site/code-blocks.ts"
import { listErrorCodes, runCommand } from "../../../support/transports/docs/site/command-process.ts"

// The guides as their reader follows them: what is in their boxes is run against a service as the first start leaves it.

/** What a command's comment says it is answered; without one it succeeds. */
const SAID = / # error_code (\d+)$/m

/** The calls of a shell box: a `curl` that keeps its answer for later prints nothing. */
const wantedOf = (text: string): ReadonlyArray<number> =>
  text
    .split(/^(?=\S*curl )/m)
    .filter((part) => part.startsWith("curl ") && !part.includes("tools/list"))
    .map((part) => Number(SAID.exec(part)?.[1] ?? 0))

/** Looks whether an event is in the feed, into which the background puts it, and milliseconds between two. */
const LOOKS = 300
const BETWEEN_MS = 100

/** Waits until what the guides before this one booked is in the feed. */
const handedOut = (base: string, token: string) =>
  Effect.promise(() =>
    fetch(`${base}/v3/events?limit=500`, { headers: { "Service-Access-Token": token } }).then((response) =>
      response.text()
    )
  ).pipe(
    Effect.tap(() => Effect.sleep(BETWEEN_MS)),
    Effect.repeat({ until: (events) => events.includes("5-START1"), times: LOOKS })
  )

layer(FirstStart.layer, { excludeTestServices: true })("the guides", (it) => {
  for (const file of ["quickstarts/rest.md", "quickstarts/mcp.md", "reference/errors.md"]) {
    it.effect(
      `${file}: every call is answered as it says`,
      () =>
        Effect.gen(function* () {
          const { baseUrl: base, token } = yield* FirstStart
          const shells = readCodeBlocks(file).filter(({ language }) => language === "sh")
          const text = shells.map((shell) => shell.text).join("\n")
          const script = text.replaceAll("http://127.0.0.1:8080", base)
          const { code, stdout, stderr } = yield* runCommand(["bash", "-eu", "-c", script], { TOKEN: token })
          assert.strictEqual(code, 0, stderr)
          assert.isNotEmpty(wantedOf(text))
          assert.deepStrictEqual(listErrorCodes(stdout), wantedOf(text), stdout)
        }),
      REQUESTS_MS
    )
  }

  it.effect("quickstarts/rest.md shows what is answered", () =>
    Effect.gen(function* () {
      const { baseUrl: base, token } = yield* FirstStart
      const [shown] = readCodeBlocks("quickstarts/rest.md").filter(({ language }) => language === "json")
      const [call] = readCodeBlocks("quickstarts/rest.md").filter(({ language }) => language === "sh")
      const script = (call?.text ?? "").replaceAll("http://127.0.0.1:8080", base)
      const { stdout } = yield* runCommand(["bash", "-eu", "-c", script], { TOKEN: token })
      const answer = JSON.parse(stdout)
      const example = JSON.parse(shown?.text ?? "")
      assert.deepStrictEqual({ ...answer, request_id: "" }, { ...example, request_id: "" })
    })
  )

  it.effect("quickstarts/oauth.md leads from nothing to a call and back", () =>
    Effect.gen(function* () {
      const { baseUrl: base, email, password } = yield* FirstStart
      const shells = readCodeBlocks("quickstarts/oauth.md").filter(({ language }) => language === "sh")
      const script = shells.map(({ text }) => text.replaceAll("http://127.0.0.1:8080", base)).join("\n")
      const opened = (line: string) =>
        line.startsWith(`${base}/authorization?`)
          ? Effect.runPromise(giveConsent(base, email, line, "allow", "read-only", password)).then(
              (location) => new URL(location).searchParams.get("code") ?? ""
            )
          : undefined
      const { code, stdout, stderr } = yield* runCommand(["bash", "-eu", "-c", script], {}, opened)
      assert.strictEqual(code, 0, stderr)
      // Registration, the call, and the end of it: the exchange and the renewal are kept for what comes after them.
      assert.deepStrictEqual(listErrorCodes(stdout), [0, 0, 0], stdout)
    })
  )

  it.effect("guides/catch-up.md reads the feed to its end, and the second time from there", () =>
    Effect.gen(function* () {
      const { baseUrl: base, token } = yield* FirstStart
      const [box] = readCodeBlocks("guides/catch-up.md").filter(({ language }) => language === "js")
      const script = (box?.text ?? "").replaceAll("http://127.0.0.1:8080", base)
      const run = runCommand([process.execPath, "--input-type=module", "-e", script], { TOKEN: token })
      yield* handedOut(base, token)
      const once = yield* run
      assert.match(once.stdout, /^reservation_created 5-START1$/m, once.stderr)
      const [, events] = /^caught up after (\d+) events\n$/m.exec(once.stdout) ?? []
      assert.isAtLeast(Number(events), 3)
      const again = yield* run
      // The demo's reviews and messages go on meanwhile: how many have come since is nobody's promise.
      assert.match(again.stdout, /^caught up after \d+ events\n$/m, again.stderr)
      assert.notInclude(again.stdout, "5-START1")
    })
  )

  it.effect("quickstarts/webhooks.md leads to a verified event", () =>
    Effect.gen(function* () {
      const { baseUrl: base, token } = yield* FirstStart
      const folder = yield* makeEmptyFolder
      const port = yield* findFreePort
      const blocks = readCodeBlocks("quickstarts/webhooks.md").map(({ language, text }) => ({
        language,
        text: text.replaceAll("http://127.0.0.1:8080", base).replaceAll("9090", port)
      }))
      const [receiver] = blocks.filter(({ language }) => language === "js")
      writeFileSync(join(folder, "receiver.mjs"), receiver?.text ?? "")
      const [subscribe, causeEvent] = blocks.filter(({ language }) => language === "sh")
      const script = `cd ${folder}
        ${subscribe?.text}
        node receiver.mjs > received.txt & receiver=$!
        trap 'kill $receiver' EXIT
        until grep -q listening received.txt; do sleep 0.1; done
        ${causeEvent?.text}
        until grep -q verified received.txt; do sleep 0.1; done
        cat received.txt`
      const { code, stdout, stderr } = yield* runCommand(["bash", "-eu", "-c", script], { TOKEN: token })
      assert.strictEqual(code, 0, stderr)
      assert.deepStrictEqual(listErrorCodes(stdout), [0, 0], stdout)
      assert.match(stdout, /^verified evt_\d+_\d+ \{"event":"transaction_created"/m)
    })
  )
})
