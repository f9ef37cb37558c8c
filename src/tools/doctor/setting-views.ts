import { redactSecrets } from "../../platform/telemetry/secret-redaction.ts"
import { type DeclaredSetting, SERVICE_SETTINGS } from "../../service/settings.ts"

// Settings without secrets, so that they can be shared.

interface SettingView {
  readonly variable: string
  readonly value: string
  readonly from: "set" | "default"
}

const toVisibleValue = ({ printablePart }: DeclaredSetting, text: string): string => {
  if (printablePart === "nothing") return "<hidden>"
  // The rest of an address may contain a password or key.
  if (printablePart !== "host") return redactSecrets(text)
  const url = URL.parse(text)
  return url === null ? "<hidden>" : `${url.protocol}//${url.host}`
}

/** An empty variable counts as unset. */
export const listSettings = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<SettingView> =>
  SERVICE_SETTINGS.map((setting) => {
    const text = env[setting.name] ?? ""
    return text === ""
      ? { variable: setting.name, value: "", from: "default" }
      : { variable: setting.name, value: toVisibleValue(setting, text), from: "set" }
  })
