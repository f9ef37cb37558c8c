// Our tokens (`lk_`) and signing secrets (`whsec_`) have prefixes. Signing secrets are base64, so they may have `+`,
// `/` and `=`.
const PREFIXED = /\b(lk[a-z]*|whsec)_[A-Za-z0-9_+/-]{8,}=*/g
const BEARER = /\b(Bearer\s+)[A-Za-z0-9._~+/=-]+/gi
const PASSWORD_OF_ADDRESS = /(:\/\/[^\s:/@"]*:)[^\s/@"]+@/g

// A cheap test first, because nearly no text has a secret.
const SECRET_HINT = /lk|whsec|bearer|:\/\//i

/** Call it last, before text leaves as telemetry. */
export const redactSecrets = (text: string): string =>
  SECRET_HINT.test(text)
    ? text
        .replace(PREFIXED, "$1_<redacted>")
        .replace(BEARER, "$1<redacted>")
        .replace(PASSWORD_OF_ADDRESS, "$1<redacted>@")
    : text
