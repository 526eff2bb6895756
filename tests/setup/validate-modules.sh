#!/usr/bin/env bash
# ansible-test's validate-modules, called directly: the full `ansible-test sanity` downloads its own environments.
set -euo pipefail
sanity=$(python -c 'import ansible_test, pathlib; print(pathlib.Path(ansible_test.__file__).parent / "_util/controller/sanity")')
version=$(python -c 'import yaml; print(yaml.safe_load(open("galaxy.yml"))["version"])')
cd collections/ansible_collections/lossless/fabric
PYTHONPATH="$sanity/validate-modules:$OLDPWD/collections" python "$sanity/validate-modules/validate.py" \
  --format plain --arg-spec --collection ansible_collections/lossless/fabric --collection-version "$version" plugins/modules/*.py
echo "validate-modules: ok"
