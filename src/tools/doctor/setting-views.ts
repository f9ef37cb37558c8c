import { redactSecrets } from "../../platform/telemetry/secret-redaction.ts"
import { type DeclaredSetting, SERVICE_SETTINGS } from "../../service/settings.ts"

// The settings as somebody may read them aloud: which are set, and to what, unless that may be a secret.

interface SettingView {
  readonly variable: string
  readonly value: string
  /** Whether the environment says it, or the service. */
  readonly from: "set" | "default"
}

const toVisibleValue = ({ printablePart }: DeclaredSetting, text: string): string => {
  if (printablePart === "nothing") return "<hidden>"
  // The rest of an address may be a password or a key.
  if (printablePart !== "host") return redactSecrets(text)
  const url = URL.parse(text)
  return url === null ? "<hidden>" : `${url.protocol}//${url.host}`
}

/** Returns every setting of the service with its value. An empty variable counts as one that is not set. */
export const listSettings = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<SettingView> =>
  SERVICE_SETTINGS.map((setting) => {
    const text = env[setting.name] ?? ""
    return text === ""
      ? { variable: setting.name, value: "", from: "default" }
      : { variable: setting.name, value: toVisibleValue(setting, text), from: "set" }
  })
