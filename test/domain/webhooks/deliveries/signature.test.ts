import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import {
  buildSignatureHeaders,
  generateSecretToken,
  generateSigningSecret,
  hasValidSignature,
  parseSigningSecret
} from "../../../../src/domain/webhooks/deliveries/signature.ts"
import {
  WEBHOOK_SECRET_BYTES_MAX,
  WEBHOOK_SECRET_BYTES_MIN,
  WEBHOOK_SIGNATURE_SECONDS
} from "../../../../src/platform/limits.ts"

const secretOf = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString("base64")}`
// The public library compares with the wall clock, so a signature that shall pass is of now.
const now = () => Math.floor(Date.now() / 1000)

describe("a signing secret", () => {
  it.effect("is whsec_ and base64, new every time, and hidden from logs", () =>
    Effect.gen(function* () {
      const secret = yield* generateSigningSecret
      const text = Redacted.value(secret)
      expect(text).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/)
      expect(Buffer.from(text.slice(6), "base64").length).toBeGreaterThanOrEqual(WEBHOOK_SECRET_BYTES_MIN)
      expect(text).not.toBe(Redacted.value(yield* generateSigningSecret))
      expect(`${secret} ${JSON.stringify({ secret })}`).not.toContain(text.slice(6))
      expect(parseSigningSecret(text)).toEqual(Result.succeed(secret))
    })
  )

  it("has 24 to 64 bytes", () => {
    const readable = (bytes: number) => Result.isSuccess(parseSigningSecret(secretOf(new Uint8Array(bytes).fill(7))))
    expect(readable(WEBHOOK_SECRET_BYTES_MIN - 1)).toBe(false)
    expect(readable(WEBHOOK_SECRET_BYTES_MIN)).toBe(true)
    expect(readable(WEBHOOK_SECRET_BYTES_MAX)).toBe(true)
    expect(readable(WEBHOOK_SECRET_BYTES_MAX + 1)).toBe(false)
  })

  it("is refused without its prefix, in other alphabets and with trailing noise, and the reason does not repeat it", () => {
    const good = secretOf(new Uint8Array(24).fill(251))
    for (const bad of [
      good.slice(6),
      good.replace("+", "-"),
      `${good}!`,
      `${good}\n`,
      `WHSEC_${good.slice(6)}`,
      "whsec_"
    ]) {
      const reason = parseSigningSecret(bad)
      expect(Result.isFailure(reason), bad).toBe(true)
      expect(String(Result.merge(reason))).not.toContain(good.slice(6, 20))
    }
  })
})

describe("a signature", () => {
  const text = fc.string({ unit: "binary", maxLength: 200 }).map((body) => JSON.stringify({ body }))
  const key = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(secretOf)
  const id = fc.uuid()

  it("is accepted by the public library", () => {
    fc.assert(
      fc.property(key, id, text, (secret, id, body) => {
        const headers = buildSignatureHeaders({ id, timestamp: now(), body }, [Redacted.make(secret)])
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
      })
    )
  })

  it("is refused by the public library when body, id, time or secret is another", () => {
    fc.assert(
      fc.property(key, key, id, text, (secret, other, id, body) => {
        fc.pre(secret !== other)
        const timestamp = now()
        const headers = buildSignatureHeaders({ id, timestamp, body }, [Redacted.make(secret)])
        expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow("No matching signature")
        expect(() => new Webhook(secret).verify(body, { ...headers, "webhook-id": `${id}0` })).toThrow("No matching")
        expect(() =>
          new Webhook(secret).verify(body, { ...headers, "webhook-timestamp": String(timestamp - 1) })
        ).toThrow("No matching")
        expect(() => new Webhook(other).verify(body, headers)).toThrow("No matching")
      })
    )
  })

  it("is given for the old and the new secret while they overlap, and for no third", () => {
    const [before, after, stranger] = [1, 2, 3].map((fill) => secretOf(new Uint8Array(32).fill(fill)))
    if (before === undefined || after === undefined || stranger === undefined) throw new Error("three secrets")
    const body = '{"event":"transaction_created","transaction_id":7}'
    const headers = buildSignatureHeaders({ id: "evt_1", timestamp: now(), body }, [
      Redacted.make(after),
      Redacted.make(before)
    ])
    expect(headers["webhook-signature"].split(" ")).toHaveLength(2)
    expect(new Webhook(before).verify(body, headers)).toEqual(JSON.parse(body))
    expect(new Webhook(after).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(stranger).verify(body, headers)).toThrow("No matching signature")
  })

  it("of a known message is the one Standard Webhooks prints", () => {
    // The example of the Standard Webhooks reference libraries.
    const headers = buildSignatureHeaders(
      { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1614265330, body: '{"test": 2432232314}' },
      [Redacted.make("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]
    )
    expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  })
})

describe("checking a signature", () => {
  const body = '{"event":"transaction_created","transaction_id":7}'
  const [secret, other] = [1, 2].map((fill) => Redacted.make(secretOf(new Uint8Array(32).fill(fill))))
  if (secret === undefined || other === undefined) throw new Error("two secrets")
  const message = { id: "evt_1_2", timestamp: 1_900_000_000, body }
  const at = message.timestamp * 1000
  const { "webhook-signature": signatures } = buildSignatureHeaders(message, [other, secret])

  it("finds the right one among several", () => {
    expect(hasValidSignature(message, signatures, secret, at)).toBe(true)
    expect(hasValidSignature(message, signatures, other, at)).toBe(true)
    expect(hasValidSignature(message, buildSignatureHeaders(message, [other])["webhook-signature"], secret, at)).toBe(
      false
    )
  })

  it("refuses another body, id or time, and what is no signature", () => {
    expect(hasValidSignature({ ...message, body: `${body} ` }, signatures, secret, at)).toBe(false)
    expect(hasValidSignature({ ...message, id: "evt_1_3" }, signatures, secret, at)).toBe(false)
    expect(hasValidSignature({ ...message, timestamp: message.timestamp + 1 }, signatures, secret, at)).toBe(false)
    for (const text of ["", " ", "v1,", "v1", signatures.replaceAll("v1,", "v2,"), signatures.toLowerCase()]) {
      expect(hasValidSignature(message, text, secret, at), text).toBe(false)
    }
    expect(hasValidSignature({ ...message, timestamp: Number.NaN }, signatures, secret, at)).toBe(false)
  })

  it(`refuses one more than ${WEBHOOK_SIGNATURE_SECONDS} seconds from now, on either side`, () => {
    const apart = WEBHOOK_SIGNATURE_SECONDS * 1000
    for (const side of [-1, 1]) {
      expect(hasValidSignature(message, signatures, secret, at + side * apart)).toBe(true)
      expect(hasValidSignature(message, signatures, secret, at + side * (apart + 1))).toBe(false)
    }
  })
})

describe("the secret token of receivers without signatures", () => {
  it.effect("is opaque, fit for a header, and never the same twice", () =>
    Effect.gen(function* () {
      const tokens = yield* Effect.replicateEffect(generateSecretToken, 100)
      expect(new Set(tokens.map(Redacted.value)).size).toBe(100)
      for (const token of tokens) expect(Redacted.value(token)).toMatch(/^[A-Za-z0-9_-]{43}$/)
    })
  )
})
