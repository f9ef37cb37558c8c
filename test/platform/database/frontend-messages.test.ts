import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import {
  FrontendMessageParser,
  type FrontendMessages,
  hasNamedStatement
} from "../../../src/platform/database/frontend-messages.ts"
import { measureProcessorTime } from "../../support/processor-time.ts"

const opening = (code: number, body = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + body.length, 0)
  head.writeInt32BE(code, 4)
  return Buffer.concat([head, body])
}

const typed = (type: string, body: Uint8Array): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type, 0, "latin1")
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

const sslRequest = opening(80_877_103)
const cancelRequest = opening(80_877_102, Buffer.alloc(8))
const startup = opening(196_608, Buffer.from("user\0postgres\0\0"))
const terminate = typed("X", Buffer.alloc(0))

/** The stream cut at the given places, gathered again. */
const gather = (stream: Buffer, cuts: ReadonlyArray<number>): ReadonlyArray<FrontendMessages> => {
  const gatherer = new FrontendMessageParser()
  const places = [0, ...cuts.map((cut) => cut % (stream.length + 1)).toSorted((a, b) => a - b), stream.length]
  return places.slice(1).flatMap((end, index) => gatherer.push(stream.subarray(places[index], end)))
}

const statementBytes = (messages: ReadonlyArray<FrontendMessages>): Buffer =>
  Buffer.concat(messages.flatMap((message) => (message.kind === "statements" ? [message.bytes] : [])))

const statement = fc
  .record({ type: fc.constantFrom("Q", "P", "B", "D", "E", "S", "C"), body: fc.uint8Array({ maxLength: 40 }) })
  .map(({ type, body }) => typed(type, body))

describe("gathering wire messages", () => {
  it("hands on every byte of every statement, in whole messages, however the stream is cut", () => {
    fc.assert(
      fc.property(fc.array(statement, { minLength: 1 }), fc.array(fc.nat()), (statements, cuts) => {
        const messages = gather(Buffer.concat([sslRequest, startup, ...statements, terminate]), cuts)
        const kinds = messages.map(({ kind }) => kind)
        expect(kinds.slice(0, 2)).toEqual(["encryption-request", "startup"])
        expect(kinds.at(-1)).toBe("terminate")
        expect(statementBytes(messages)).toEqual(Buffer.concat(statements))
        const ends = new Set<number>()
        statements.reduce((end, { length }) => ends.add(end + length) && end + length, 0)
        let end = 0
        for (const message of messages) {
          if (message.kind !== "statements") continue
          end += message.bytes.length
          expect(ends).toContain(end)
        }
      })
    )
  })

  it("tells a request to cancel from a startup", () => {
    expect(gather(cancelRequest, [3])).toEqual([{ kind: "cancel" }])
  })

  it("keeps a farewell and a password nobody asked for from the database", () => {
    const query = typed("Q", Buffer.from("select 1\0"))
    const messages = gather(Buffer.concat([startup, typed("p", Buffer.from("secret\0")), query, terminate]), [])
    expect(messages.map(({ kind }) => kind)).toEqual(["startup", "statements", "terminate"])
    expect(statementBytes(messages)).toEqual(query)
  })

  it("for a guest ends what it hands on with each Sync, so that others come between", () => {
    fc.assert(
      fc.property(fc.array(statement, { minLength: 1 }), (statements) => {
        const gatherer = new FrontendMessageParser({ unit: "sync", maxMessageBytes: 100 })
        const messages = gatherer.push(Buffer.concat([startup, ...statements]))
        expect(statementBytes(messages)).toEqual(Buffer.concat(statements))
        const ends = statements.filter((bytes) => "SQ".includes(String.fromCharCode(bytes[0] ?? 0))).length
        const open = "SQ".includes(String.fromCharCode(statements.at(-1)?.[0] ?? 0)) ? 0 : 1
        expect(messages.length - 1).toBe(ends + open)
      })
    )
  })

  it("takes a message of so many bytes and none longer, a startup too", () => {
    const push = (mostBytes: number, ...parts: ReadonlyArray<Buffer>) =>
      new FrontendMessageParser({ unit: "sync", maxMessageBytes: mostBytes })
        .push(Buffer.concat(parts))
        .map(({ kind }) => kind)
    const query = typed("Q", Buffer.alloc(95))
    expect(push(100, startup, query)).toEqual(["startup", "statements"])
    expect(push(99, startup, query)).toEqual(["startup", "too-large"])
    expect(push(startup.length, startup)).toEqual(["startup"])
    expect(push(startup.length - 1, startup)).toEqual(["too-large"])
  })

  it("takes no message whose length cannot be, nor one of a type that no client sends", () => {
    const kinds = (...parts: ReadonlyArray<Buffer>) =>
      new FrontendMessageParser().push(Buffer.concat(parts)).map(({ kind }) => kind)
    const sized = (type: number, length: number) => {
      const head = Buffer.from([type, 0, 0, 0, 0])
      head.writeInt32BE(length, 1)
      return head
    }
    const Q = "Q".charCodeAt(0)
    expect(kinds(startup, sized(Q, 4))).toEqual(["startup", "statements"])
    for (const length of [3, 0, -1]) expect(kinds(startup, sized(Q, length))).toEqual(["startup", "malformed"])
    for (const type of [0, 0xff, "R".charCodeAt(0)]) {
      expect(kinds(startup, typed("S", Buffer.alloc(0)), sized(type, 4))).toEqual([
        "startup",
        "statements",
        "malformed"
      ])
    }
    for (const byte of [0, 0xff]) expect(kinds(Buffer.alloc(14, byte))).toEqual(["malformed"])
  })

  it("takes a long message in many chunks as quickly as in few", () => {
    const query = typed("Q", Buffer.alloc(8 * 1024 * 1024))
    const gatherer = new FrontendMessageParser()
    gatherer.push(startup)
    const messages: Array<FrontendMessages> = []
    const { processorMs } = measureProcessorTime(() => {
      for (let at = 0; at < query.length; at += 1024) messages.push(...gatherer.push(query.subarray(at, at + 1024)))
    })
    // Copied with each of them, it would be some 34 GB.
    expect(processorMs).toBeLessThan(1_000)
    expect(messages.map(({ kind }) => kind)).toEqual(["statements"])
    expect(statementBytes(messages).equals(query)).toBe(true)
  })

  it("finds a statement that is given a name among others", () => {
    const parse = (name: string) => typed("P", Buffer.from(`${name}\0select 1\0\0\0`))
    const rest = [typed("B", Buffer.alloc(6)), typed("S", Buffer.alloc(0))]
    expect(hasNamedStatement(Buffer.concat([parse(""), ...rest]))).toBe(false)
    expect(hasNamedStatement(Buffer.concat([parse(""), ...rest, parse("mine")]))).toBe(true)
  })
})
