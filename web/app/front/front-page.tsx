import { Anchor, Button, Group, SimpleGrid, Text, Title, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useHere } from '../../api/here.ts'
import { type DemoPerson, signInAsDemo } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import {
  ArrowRight,
  BadgeCheck,
  BookOpen,
  Code2,
  GraduationCap,
  KeyRound,
  Puzzle,
  ScrollText,
  UserRound,
  Users,
} from '../../parts/icons.tsx'
import { Problem } from '../../parts/states.tsx'
import { words } from '../../parts/words.ts'
import { AREAS } from '../layout/areas.ts'
import { appWords } from '../words.ts'
import classes from './front-page.module.css'
import { Horizon } from './horizon.tsx'

const { front } = appWords
const OFFER_ICONS = [GraduationCap, ScrollText, KeyRound, Puzzle]

/** The page at which each kind of demo person starts. */
const HOMES: Record<DemoPerson['part'], string> = {
  student: '/dashboard',
  instructor: '/dashboard',
  developer: '/console/apps',
  administrator: '/admin',
}
const PART_ICONS = { student: GraduationCap, instructor: Users, developer: Code2, administrator: BadgeCheck }

export function FrontPage() {
  const here = useHere()
  useEffect(() => {
    document.title = `${words.product}: ${front.title}`
  }, [])
  return (
    <div className={classes.page}>
      <section className={classes.hero}>
        <div className={classes.words}>
          <Title order={1} className={classes.title}>
            {front.title}
          </Title>
          <Text className={classes.lead}>{front.lead}</Text>
          <Group mt="lg" gap="sm">
            {here.person ? (
              <Button
                component={Link}
                to={here.person.may.administer ? '/admin' : '/dashboard'}
                size="md"
                rightSection={<ArrowRight size={18} aria-hidden />}
              >
                {front.start}
              </Button>
            ) : (
              <Button component="a" href="/account/signin?next=/" size="md">
                {front.signIn}
              </Button>
            )}
            {!here.person && here.signUp && (
              <Button component="a" href="/account/signup" size="md" variant="default">
                {front.signUp}
              </Button>
            )}
            <Button
              component="a"
              href="/docs"
              size="md"
              variant="default"
              leftSection={<BookOpen size={18} aria-hidden />}
            >
              {front.documentation}
            </Button>
          </Group>
        </div>
        <Horizon className={classes.horizon} />
      </section>
      {here.person && <Destinations />}
      {here.demoPeople.length > 0 && <DemoPeople people={here.demoPeople} />}
      {!here.person && <Offers />}
      <footer className={classes.foot}>
        <Text size="sm" c="dimmed">
          {appWords.tagline}
        </Text>
        <Group gap="md">
          <Anchor href="/docs" size="sm">
            {appWords.navigation.documentation}
          </Anchor>
          <Anchor href="/readyz" size="sm">
            {front.health}
          </Anchor>
        </Group>
      </footer>
    </div>
  )
}

/** Describes what the platform offers, for visitors who are not signed in. */
const Offers = () => (
  <section>
    <Title order={2} mb="sm">
      {front.offerTitle}
    </Title>
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="lg">
      {front.offers.map(({ title, text }, i) => {
        const Icon = OFFER_ICONS[i]!
        return (
          <div key={title}>
            <div className={classes.name}>
              <Icon size={20} aria-hidden className={classes.icon} />
              <Title order={3}>{title}</Title>
            </div>
            <Text size="sm" c="dimmed" mt={4}>
              {text}
            </Text>
          </div>
        )
      })}
    </SimpleGrid>
  </section>
)

/**
 * Buttons that sign in as a demo person without a password, because demo passwords are public. Signing in loads a new
 * document, so that no cached data of the previous person remains.
 */
function DemoPeople({ people }: { readonly people: readonly DemoPerson[] }) {
  const enter = useWrite(signInAsDemo)
  return (
    <section>
      <div className={classes.head}>
        <Title order={2}>{front.demoTitle}</Title>
        <Text size="sm" c="dimmed">
          {front.demoText}
        </Text>
      </div>
      {enter.error && <Problem title={front.demoFailed} error={enter.error} />}
      <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing="sm">
        {people.map(({ handle, name, part }) => {
          const Icon = PART_ICONS[part]
          return (
            <UnstyledButton
              key={handle}
              className={classes.tile}
              disabled={enter.isPending}
              onClick={() => enter.mutate({ handle }, { onSuccess: () => location.assign(HOMES[part]) })}
            >
              <span className={classes.name}>
                <Icon size={20} aria-hidden className={classes.icon} />
                <VisuallyHidden>{front.signInAs}</VisuallyHidden>
                <Text component="span" fw={600}>
                  {name || handle}
                </Text>
              </span>
              <Text component="span" size="sm" c="dimmed" display="block" mt={4}>
                {front.parts[part].title}. {front.parts[part].text}
              </Text>
            </UnstyledButton>
          )
        })}
      </SimpleGrid>
    </section>
  )
}

function Destinations() {
  const { person } = useHere()
  const own = AREAS.filter(({ id }) => person?.areas.some((area) => area === id))
  return (
    <section>
      <Title order={2} mb="sm">
        {front.whereTitle}
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
        {own.map(({ id, label, icon: Icon, pages }) => (
          <Link key={id} to={pages[0].to} className={classes.tile}>
            <span className={classes.name}>
              <Icon size={20} aria-hidden className={classes.icon} />
              <Text component="span" fw={600}>
                {label}
              </Text>
            </span>
            <Text component="span" size="sm" c="dimmed" display="block" mt={4}>
              {front.where[id]}
            </Text>
          </Link>
        ))}
        <Link to="/account" className={classes.tile}>
          <span className={classes.name}>
            <UserRound size={20} aria-hidden className={classes.icon} />
            <Text component="span" fw={600}>
              {appWords.person.account}
            </Text>
          </span>
          <Text component="span" size="sm" c="dimmed" display="block" mt={4}>
            {front.where.account}
          </Text>
        </Link>
      </SimpleGrid>
    </section>
  )
}
