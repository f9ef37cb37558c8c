import { describe, expect, it } from "@effect/vitest"
import { HashSet, Result } from "effect"
import { allowsHost, parseAllowedHosts } from "../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"

const allowed = (setting: string, host: string) => allowsHost(Result.getOrThrow(parseAllowedHosts(setting)), host)

describe("WEBHOOK_ALLOWED_HOSTS", () => {
  it("allows nothing when empty, and overlooks blanks and empty entries", () => {
    expect(allowed("", "localhost")).toBe(false)
    expect(allowed(" , receiver.internal ,, 127.0.0.1 ,", "receiver.internal")).toBe(true)
    expect(allowed(" , receiver.internal ,, 127.0.0.1 ,", "127.0.0.1")).toBe(true)
  })

  it("matches names whole, without regard to case or a final dot, as a URL writes them", () => {
    for (const host of ["hooks.internal", "HOOKS.internal", "hooks.internal."]) {
      expect(allowed("Hooks.Internal.", host), host).toBe(true)
    }
    expect(allowed("bücher.internal", new URL("https://BÜCHER.internal/").hostname)).toBe(true)
    for (const host of ["a.hooks.internal", "internal", "hooks.internal.evil.com", "xhooks.internal"]) {
      expect(allowed("hooks.internal", host), host).toBe(false)
    }
  })

  it("matches addresses in every spelling", () => {
    for (const host of ["[::1]", "[0:0:0:0:0:0:0:1]", "::1"]) expect(allowed("[::1]", host), host).toBe(true)
    for (const entry of ["127.0.0.1", "0x7f000001", "127.1", "::ffff:127.0.0.1"]) {
      expect(allowed(entry, "127.0.0.1"), entry).toBe(true)
      expect(allowed(entry, "[::ffff:7f00:1]"), entry).toBe(true)
      expect(allowed(entry, "127.0.0.2"), entry).toBe(false)
    }
    expect(HashSet.size(Result.getOrThrow(parseAllowedHosts("127.0.0.1,127.1,::ffff:7f00:1")).addresses)).toBe(1)
  })

  it("keeps a name and the address it has apart", () => {
    expect(allowed("localhost", "127.0.0.1")).toBe(false)
    expect(allowed("127.0.0.1", "localhost")).toBe(false)
  })

  it.each([
    "10.0.0.0/8",
    "host:8080",
    "[::1]:80",
    "https://host",
    "*.internal",
    "a b",
    "user@host",
    "300.1.1.1",
    "fe80::1%eth0",
    "[x]"
  ])("refuses %s and repeats it", (entry) => {
    expect(parseAllowedHosts(`ok.internal,${entry}`)).toEqual(
      Result.fail(`"${entry}" is neither a host name nor an IP address`)
    )
  })
})
