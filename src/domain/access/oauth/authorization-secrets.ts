import { randomBytes } from "node:crypto"

// Telemetry redacts text after the prefixes `lkcode` and `lkrefresh`.

const SECRET_BYTES = 32

const newSecret = (prefix: string): string => `${prefix}_${randomBytes(SECRET_BYTES).toString("base64url")}`

export const newAuthorizationCode = (): string => newSecret("lkcode")
export const newRefreshToken = (): string => newSecret("lkrefresh")
