import { execFileSync, spawn } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { buildSignatureHeaders } from "../../../../src/domain/webhooks/deliveries/signature.ts"
import { makeEmptyFolder } from "../../../support/tools/cli/latchkey-process.ts"
import { readCodeBlocks } from "../../../support/transports/docs/site/code-blocks.ts"

// What the guide shows receivers, in each of its languages, against what the service signs.

interface Language {
  readonly file: string
  readonly prepared?: (path: string) => ReadonlyArray<string>
  readonly command: (path: string) => ReadonlyArray<string>
  /** Succeeds where this machine can run it. */
  readonly probe: ReadonlyArray<string>
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  js: { file: "verify.mjs", command: (path) => [process.execPath, path], probe: [process.execPath, "--version"] },
  python: { file: "verify.py", command: (path) => ["python3", path], probe: ["python3", "-c", "''.removeprefix('')"] },
  // Compiled once: as a source each run would compile it again.
  java: {
    file: "Verify.java",
    prepared: (path) => ["javac", path],
    command: (path) => ["java", "-XX:TieredStopAtLevel=1", "-cp", dirname(path), "Verify"],
    probe: ["java", "--describe-module", "jdk.compiler"]
  },
  php: { file: "verify.php", command: (path) => ["php", path], probe: ["php", "--version"] },
  perl: {
    file: "verify.pl",
    command: (path) => ["perl", path],
    probe: ["perl", "-MDigest::SHA", "-MMIME::Base64", "-e", "0"]
  }
}

const isThere = ([command = "", ...args]: ReadonlyArray<string>): boolean => {
  try {
    execFileSync(command, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const SECRET = Redacted.make(`whsec_${Buffer.alloc(32, 7).toString("base64")}`)
const OTHER = Redacted.make(`whsec_${Buffer.alloc(32, 8).toString("base64")}`)
const BODY = '{"event":"message_created","note":"Grüße ✈"}'

const now = () => Math.floor(Date.now() / 1000)

/** What is posted, and whether it is ours. */
const POSTED = {
  "a delivery": () => ({ ...signed({}), ours: true }),
  "one between two secrets": () => ({ ...signed({ secrets: [OTHER, SECRET] }), ours: true }),
  "another's secret": () => ({ ...signed({ secrets: [OTHER] }), ours: false }),
  "another body": () => ({ ...signed({}), body: BODY.replace("message", "messagf"), ours: false }),
  "another id": () => ({ ...signed({}), id: "evt_2_1", ours: false }),
  "one of ten minutes ago": () => ({ ...signed({ timestamp: now() - 600 }), ours: false }),
  "one of in ten minutes": () => ({ ...signed({ timestamp: now() + 600 }), ours: false }),
  "a time that is none": () => ({ ...signed({}), timestamp: "soon", ours: false }),
  "no signature": () => ({ ...signed({}), signature: "", ours: false })
}

const signed = ({
  timestamp = now(),
  secrets = [SECRET]
}: {
  readonly timestamp?: number
  readonly secrets?: [typeof SECRET, ...Array<typeof SECRET>]
}) => {
  const headers = buildSignatureHeaders({ id: "evt_1_1", timestamp, body: BODY }, secrets)
  return { id: "evt_1_1", timestamp: String(timestamp), signature: headers["webhook-signature"], body: BODY }
}

const verdictOf = (
  [command = "", ...args]: ReadonlyArray<string>,
  { id, timestamp, signature, body }: ReturnType<typeof signed>
): Promise<{ readonly code: number | null; readonly stderr: string }> =>
  new Promise((resolve) => {
    const child = spawn(command, [...args, Redacted.value(SECRET), id, timestamp, signature])
    let stderr = ""
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
    child.on("close", (code) => resolve({ code, stderr }))
    child.stdin.on("error", () => {}).end(body)
  })

const boxes = readCodeBlocks("reference/webhook-signatures.md")

it("the guide has them in each language, and no other box", () => {
  assert.deepStrictEqual(
    boxes.map(({ language }) => language),
    Object.keys(LANGUAGES)
  )
})

for (const { language, text } of boxes) {
  const known = LANGUAGES[language]
  const there = known !== undefined && isThere(known.probe)
  const name = `${language}: takes what the service signs, and nothing else`
  it.live.skipIf(!there)(there ? name : `${name} (skipped: no ${language} here)`, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* makeEmptyFolder
        if (known === undefined) return
        const path = join(folder, known.file)
        yield* Effect.promise(() => writeFile(path, text))
        assert.isTrue(known.prepared === undefined || isThere(known.prepared(path)))
        const verdicts = yield* Effect.promise(() =>
          Promise.all(Object.values(POSTED).map((posted) => verdictOf(known.command(path), posted())))
        )
        Object.entries(POSTED).forEach(([what, posted], at) => {
          const { code, stderr } = verdicts[at] ?? {}
          assert.strictEqual(code, posted().ours ? 0 : 1, `${what}: ${stderr}`)
          assert.strictEqual(stderr, "", what)
        })
      })
    )
  )
}
