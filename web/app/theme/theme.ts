import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'
import { words } from '../../parts/words.ts'

/** Colours of both colour schemes: navy is the brand's base colour, sky its accent, and everything else is grey. */
const sky: MantineColorsTuple = [
  '#eef6fe',
  '#dcecfc',
  '#b7d8f8',
  '#8bc0f3',
  '#61a6ea',
  '#3d8bdb',
  '#2673c4',
  '#1b5ea6',
  '#164d89',
  '#113a68',
]
const navy: MantineColorsTuple = [
  '#f3f6fa',
  '#e3e9f2',
  '#c3cfe0',
  '#9fb2cb',
  '#7c94b4',
  '#5c769b',
  '#425c81',
  '#2b4366',
  '#182d4d',
  '#0b1f3a',
]
const gray: MantineColorsTuple = [
  '#f7f9fb',
  '#eef1f5',
  '#e2e7ed',
  '#d1d8e0',
  '#b4bec9',
  '#8d99a7',
  '#6b7785',
  '#505b68',
  '#353f4b',
  '#1c2430',
]
const dark: MantineColorsTuple = [
  '#dbe4ee',
  '#bac7d6',
  '#9bacc0',
  '#6d8097',
  '#35465c',
  '#26364a',
  '#182537',
  '#101a28',
  '#0b131e',
  '#070d15',
]

export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: {
    fontFamily: "'Inter Variable', system-ui, sans-serif",
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1.125rem', lineHeight: '1.35' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  colors: { sky, navy, gray, dark },
  black: '#17202e',
  primaryColor: 'sky',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // These are plain objects: `Alert.extend()` would load the component on every page.
  components: {
    Alert: { defaultProps: { variant: 'light' } },
    Anchor: { defaultProps: { underline: 'hover' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 550 } },
    Button: { defaultProps: { fw: 550 } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': words.states.close } } },
    // Mantine's focus placeholder would be a child element that ARIA does not allow in a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Table: {
      defaultProps: { verticalSpacing: 'sm' },
      styles: { th: { color: 'var(--mantine-color-dimmed)', fontWeight: 600 } },
    },
    Tooltip: { defaultProps: { withArrow: true, transitionProps: { duration: 100 } } },
  },
})

/** Text colours on a tint of the same colour, in the light colour scheme. */
const LIGHT_TEXTS = { green: '#14532d', red: '#8c1d14', yellow: '#6d4c00', gray: '#353f4b', sky: '#164d89' }
/** Text colours on a tint of the same colour, in the dark colour scheme. */
const DARK_TEXTS = { green: '#9be3b9', red: '#ffb4ac', yellow: '#f5d585', gray: '#bac7d6', sky: '#b7d8f8' }
const onTint = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([name, color]) => [`--mantine-color-${name}-light-color`, color]))

/** Replaces colours of Mantine that are too faint: every text needs a contrast of at least 4.5 to 1. */
export const resolveVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...onTint(LIGHT_TEXTS),
    '--mantine-color-dimmed': colors.gray![7]!,
    '--mantine-color-placeholder': colors.gray![6]!,
    '--mantine-color-error': '#b42318',
    '--mantine-color-red-outline': '#b42318',
    '--mantine-color-red-filled': '#b42318',
    '--mantine-color-red-filled-hover': '#97190f',
    '--gs-ground': colors.gray![0]!,
    '--gs-surface': '#ffffff',
    '--gs-line': colors.gray![2]!,
    '--gs-shadow': 'rgb(23 32 46 / 28%)',
    '--gs-brand': colors.navy![9]!,
    '--gs-link': colors.sky![7]!,
  },
  dark: {
    ...onTint(DARK_TEXTS),
    '--mantine-color-gray-light': 'rgb(186 199 214 / 14%)',
    '--mantine-color-dimmed': colors.dark![2]!,
    '--mantine-color-placeholder': colors.dark![2]!,
    '--mantine-color-error': '#ff9d94',
    '--mantine-color-red-outline': '#ff9d94',
    '--mantine-color-red-filled': '#b42318',
    '--mantine-color-red-filled-hover': '#97190f',
    '--mantine-color-anchor': colors.sky![3]!,
    '--gs-ground': colors.dark![8]!,
    '--gs-surface': colors.dark![7]!,
    '--gs-line': colors.dark![5]!,
    '--gs-shadow': 'rgb(0 0 0 / 70%)',
    '--gs-brand': '#081730',
    '--gs-link': colors.sky![3]!,
  },
})
