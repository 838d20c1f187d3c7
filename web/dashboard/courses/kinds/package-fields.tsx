import { Alert, Anchor, Button, Group, Input, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { readPackage } from '../../../api/operations.ts'
import { query } from '../../../api/query.ts'
import { Fact, Facts } from '../../../parts/facts.tsx'
import { Download, Eye } from '../../../parts/icons.tsx'
import { itemsAround, needsOwnWindow, sayToPass, titleOf } from '../../packages/items.ts'
import { sayKind } from '../../packages/package-report.tsx'
import { packageWords } from '../../packages/words.ts'
import type { KindFieldsProps } from './fields-props.ts'

const { lesson: say } = packageWords

/** Shows the unit of a package that a lesson opens. The package decides what students have to do. */
export function PackageFields({ course, lesson, errors }: KindFieldsProps) {
  const { package: packageId = '', item: position = 0 } = lesson
  const found = useQuery(query(readPackage, { packageId }))
  const items = useQuery(itemsAround(packageId, position))
  const item = items.data?.docs.find((one) => one.position === position)
  const { data } = found
  const problem = errors.package ?? errors.item ?? errors.threshold
  return (
    <Input.Wrapper label={packageWords.one} labelElement="div" error={problem}>
      {found.isError || items.isError ? (
        <Alert color="red">{say.missing}</Alert>
      ) : (
        data &&
        item && (
          <Stack gap="sm">
            <Facts>
              <Fact name={say.title}>
                {data.title} ({sayKind(data)})
              </Fact>
              <Fact name={item.kind === 'unit' ? say.unit : say.group}>{titleOf(item)}</Fact>
              <Fact name={say.toPass}>{item.kind === 'unit' ? sayToPass(item) : say.groupText}</Fact>
              {item.kind === 'unit' && (
                <Fact name={say.opens}>{needsOwnWindow(item) ? say.ownWindow : say.anyWindow}</Fact>
              )}
            </Facts>
            <Group>
              {item.kind === 'unit' && (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<Eye size={14} aria-hidden />}
                  renderRoot={(props) => (
                    <Link
                      {...props}
                      to="/dashboard/packages/$organisation/$packageId/preview/$item"
                      params={{ organisation: course.organisation, packageId, item: String(position) }}
                      search={{ course: course.courseId }}
                    />
                  )}
                >
                  {say.preview}
                </Button>
              )}
              <Anchor href={data.url} size="sm">
                <Download size={14} aria-hidden /> {say.download}
              </Anchor>
            </Group>
          </Stack>
        )
      )}
    </Input.Wrapper>
  )
}
