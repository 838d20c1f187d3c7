import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build, type Plugin } from 'vite'
import { DIST, hashInputs, PATHS, PLAYER, RENDER, SITE, STAMP } from './built.ts'
import { listPaths } from './page-paths.ts'
import { readSite } from './site.ts'

/** Builds the pages: `node web/build.ts`. `npm start` runs this if the sources have changed. */
const site = readSite()
const stamp = process.argv[2] ?? hashInputs()
const target = `${DIST}-${process.pid}`

const WEB = fileURLToPath(new URL('.', import.meta.url))

/** An assignment of a part to a component: `Menu.Sub = MenuSub;`. */
const PART = /^([A-Z]\w+\.[A-Z]\w+) = \w+;$/gm

/**
 * Drops the parts of Mantine's components that nothing uses. A component refers to all its parts, so a
 * bundler keeps every part of each component that a page uses.
 */
function dropUnusedParts(): Plugin {
  const own = globSync('**/*.tsx', { cwd: WEB }).map((file) => join(WEB, file))
  const mantine = globSync('../node_modules/@mantine/core/esm/**/*.mjs', { cwd: WEB }).map((file) => join(WEB, file))
  const used = new Set<string>()
  for (const file of [...own, ...mantine])
    for (const [part] of readFileSync(file, 'utf8').matchAll(/\b[A-Z]\w+\.[A-Z]\w+\b(?! = )/g)) used.add(part)
  return {
    name: 'drop-unused-parts',
    transform: {
      filter: { id: /@mantine\/core\/esm\/components/ },
      handler: (code) => ({
        code: code.replaceAll(PART, (whole, part: string) => (used.has(part) ? whole : '')),
        map: null,
      }),
    },
  }
}

/** Loads the styles of each of Mantine's components with the component, so that a page has those that it uses. */
const componentStyles: Plugin = {
  name: 'component-styles',
  transform: {
    filter: { id: /@mantine\/core\/esm\/.*\/\w+\.module\.mjs$/ },
    handler: (code, id) => ({
      code: `import '@mantine/core/styles/${parse(parse(id).name).name}.layer.css'\n${code}`,
      map: null,
    }),
  },
}

/**
 * Puts the styles of components that others are made of into a layer below those of the others. Otherwise the order in
 * which files arrive would decide, and a rendered page has the first style sheet at its end.
 */
const blockStyles: Plugin = {
  name: 'block-styles',
  enforce: 'pre',
  transform: {
    filter: { id: /\/styles\/(?:CloseButton|Group|Loader|Paper|UnstyledButton)\.layer\.css$/ },
    handler: (code) => ({ code: code.replace('@layer mantine ', '@layer mantine.blocks '), map: null }),
  },
}

/** Components that show something next to a control. Few pages need them before somebody clicks. */
const FLOATING = '@floating-ui/|/components/(?:Popover|Combobox|Select|MultiSelect|Autocomplete|ScrollArea|Tooltip)/'

const common = {
  configFile: false as const,
  root: WEB,
  base: '/web/',
  plugins: [react(), dropUnusedParts(), componentStyles, blockStyles],
  logLevel: 'warn' as const,
}

const built = build({
  ...common,
  build: {
    outDir: target,
    emptyOutDir: true,
    // All of these browsers support light-dark(). For older ones, it would be compiled to a media query, which ignores
    // the colour scheme that the person has chosen on the page.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // Nothing is inlined, because the content security policy allows no data: URLs for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A file for each shared module would mean fifty requests per page, with headers larger than the modules.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Everything that the first page needs, and what most pages share with it.
            { name: 'base', tags: ['$initial'], priority: 5 },
            { name: 'base', test: /\/components\/(?:SimpleGrid|VisuallyHidden)\//, priority: 5 },
            // Small modules that the floating components share with others.
            {
              name: 'common',
              test: /@mantine\/hooks|get-parsed-combobox-data|ComboboxChevron|to-int|InlineInput/,
              priority: 4,
            },
            {
              name: 'common',
              test: new RegExp(`^(?!.*(?:${FLOATING}|@mantine/form))`),
              minShareCount: 16,
              priority: 3,
            },
            { name: 'floating', test: new RegExp(FLOATING), priority: 2 },
            { name: 'form', test: /@mantine\/form/, priority: 2 },
          ],
        },
      },
    },
  },
})

// Only guides that exist have a page.
const paths = (await listPaths()).flatMap(({ path }) =>
  path.endsWith('/$guide') ? site.documents.map((document) => document.path) : path,
)
await built

// The front page and the documentation are also rendered on the server. The module contains everything it needs,
// because an installation without development dependencies has no React.
await build({
  ...common,
  // Vite leaves NODE_ENV to be read at run time on servers; the development build of React would be slow and large.
  define: { 'process.env.NODE_ENV': '"production"' },
  ssr: { noExternal: true },
  build: {
    ssr: 'app/front/render.tsx',
    outDir: target,
    emptyOutDir: false,
    minify: true,
    copyPublicDir: false,
    rolldownOptions: { output: { entryFileNames: RENDER, codeSplitting: false } },
  },
})

// The player of SCORM packages is a page of its own, on another origin. Its files have relative addresses.
await build({
  ...common,
  base: './',
  plugins: [],
  build: {
    outDir: join(target, PLAYER),
    copyPublicDir: false,
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: {
      input: 'player/main.ts',
      output: {
        entryFileNames: 'main-[hash].js',
        chunkFileNames: '[name]-[hash].js',
        assetFileNames: '[name]-[hash][extname]',
      },
    },
  },
})

/** Files to compress now, because the platform does not compress when it serves them. Fonts are already compressed. */
const SMALL = /\.(?:js|css|svg)$/
for (const file of globSync(['assets/*', `${PLAYER}/*`], { cwd: target }).filter((name) => SMALL.test(name))) {
  const bytes = readFileSync(join(target, file))
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
  writeFileSync(join(target, `${file}.br`), await promisify(brotliCompress)(bytes, quality))
  writeFileSync(join(target, `${file}.gz`), await promisify(gzip)(bytes, { level: 9 }))
}

writeFileSync(join(target, PATHS), JSON.stringify(paths))
writeFileSync(join(target, SITE), JSON.stringify(site))
writeFileSync(join(target, STAMP), stamp)
// If two processes build at the same time, the later one wins. Both builds are complete.
const old = `${target}-old`
mkdirSync(DIST, { recursive: true })
renameSync(DIST, old)
renameSync(target, DIST)
rmSync(old, { recursive: true })
