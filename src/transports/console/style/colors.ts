/** Colours of light and dark mode. A colour never carries information alone. */
export const COLOR_STYLES = `
:root {
  color-scheme: light dark;
  --page: #f6f5f2; --card: #fff; --ink: #1d2329; --soft: #59626c; --line: #dcdad4; --edge: #767f89; --link: #0b5c9e;
  --good: #dff2e6; --good-ink: #0d4a2b; --bad: #f6dede; --bad-ink: #7c1d1d; --wait: #fff0cf; --wait-ink: #6b4700;
  --plain: #edebe7; --plain-ink: #454b52; --button: #0b5c9e; --button-ink: #fff; --danger: #9b2226; --danger-ink: #fff;
  --side: #fff; --current: #e6eff7; --shadow: 0 .25rem 1rem rgb(0 0 0 / .18);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --card: #1b1f23; --ink: #e9ecef; --soft: #a2abb5; --line: #30363d; --edge: #7d8894; --link: #7cc0ff;
    --good: #12382a; --good-ink: #b5ecce; --bad: #43191b; --bad-ink: #ffc9c9; --wait: #40320f; --wait-ink: #ffe0a1;
    --plain: #262b31; --plain-ink: #c3cad2; --button: #7cc0ff; --button-ink: #0c1a27; --danger: #ff9d9d; --danger-ink: #2a0d0e;
    --side: #1b1f23; --current: #24313d; --shadow: 0 .25rem 1rem rgb(0 0 0 / .6);
  }
}
`
